import { keyName } from "../../../commands-to-results/journal-rules/fingerprint.ts";
import { historyOf, type Noted, type Place, type Readable, type Standing } from "./key-history.ts";
import type { Settled } from "./settled.ts";

/** A key about which something may still have to be said: its entries that matter, the oldest first. */
export type Open = Place & { notes: Noted[]; standing: Standing };

const nameOf = ({ partition, operation, key }: Place): string => `${partition}${keyName({ operation, key })}`;
const commandName = (name: string, commandId: string): string => `${name}\n${commandId}`;

/** The bytes of a result may be many, and what a page shows of them is decoded elsewhere. */
const noteOf = ({ offset, timestampMs, entry }: Readable): Noted => {
  const { step } = entry;
  const small = step.kind === "concluded" ? { ...entry, step: { ...step, result: Buffer.alloc(0) } } : entry;
  return { offset, timestampMs, entry: small, facts: null };
};

type Part = {
  opens: Map<string, Open>;
  settled: Settled;
  /** Whether an attempt may have a claim that was not read, before the first entry that names it. */
  mayBeUnread: (partition: number, first: Noted) => boolean;
  /** Whether all entries of a key are kept: newer ones are, and wait for them. */
  isWanted: (name: string) => boolean;
};

/** Brings up to date what the notes of a key come to, and keeps of them what matters. */
export const settle = ({ opens, settled, mayBeUnread, isWanted }: Part, name: string, open: Open): void => {
  const { standing, left, over, finals, isSpent } = historyOf(open.notes, (first) =>
    mayBeUnread(open.partition, first),
  );
  for (const attemptId of over) settled.add(attemptId);
  for (const commandId of finals) settled.add(commandName(name, commandId));
  if (isSpent) settled.add(name);
  if (isWanted(name)) opens.set(name, { ...open, standing });
  else if (left.length > 0) opens.set(name, { ...open, notes: left, standing });
  else opens.delete(name);
};

/** Whether an entry says nothing, given what was settled before it. */
const isSettled = (settled: Settled, name: string, { step, commandId }: Readable["entry"]): boolean => {
  switch (step.kind) {
    case "published":
      return true;
    case "claimed":
      return settled.has(name) || settled.has(commandName(name, commandId));
    case "released":
      return settled.has(step.attemptId);
    case "concluded":
      // That it was executed ends other attempts of the command, too. That it was not is the word of one attempt.
      if (step.outcome === "SUCCEEDED") return false;
      return step.attemptId === null || settled.has(step.attemptId);
  }
};

/** Folds the records of a part of the journal, in their order. Gives the note that is kept of each. */
export const foldInto = (part: Part) => {
  const { opens, settled, isWanted } = part;
  return (record: Readable): Noted | null => {
    const { partition, key, entry } = record;
    const place: Place = { partition, operation: entry.operation, key };
    const name = nameOf(place);
    if (!isWanted(name) && isSettled(settled, name, entry)) return null;
    const note = noteOf(record);
    const open = opens.get(name);
    if (!open && entry.step.kind === "claimed" && entry.step.supersedes === null)
      opens.set(name, { ...place, notes: [note], standing: { kind: "held", claim: note } });
    else settle(part, name, { ...place, notes: [...(open?.notes ?? []), note], standing: { kind: "none" } });
    return note;
  };
};
