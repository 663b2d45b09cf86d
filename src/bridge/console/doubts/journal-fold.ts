import { keyName } from "../../../commands-to-results/journal-rules/fingerprint.ts";
import { historyOf, type KeptEntry, type Place, type ReadableRecord, type KeyState } from "./key-history.ts";
import type { Settled } from "./settled.ts";

/** A key that may be in doubt or claimed: its entries that matter, the oldest first. */
export type OpenKey = Place & { entries: KeptEntry[]; standing: KeyState };

const nameOf = ({ partition, operation, key }: Place): string => `${partition}${keyName({ operation, key })}`;
const commandName = (name: string, commandId: string): string => `${name}\n${commandId}`;

/** Without the result's bytes, which may be many; what pages show of them is decoded elsewhere. */
const withoutResult = ({ offset, timestampMs, entry }: ReadableRecord): KeptEntry => {
  const { step } = entry;
  const small = step.kind === "concluded" ? { ...entry, step: { ...step, result: Buffer.alloc(0) } } : entry;
  return { offset, timestampMs, entry: small, facts: null };
};

type Part = {
  opens: Map<string, OpenKey>;
  settled: Settled;
  /** Whether an attempt may have an unread claim before the first entry that names it. */
  mayBeUnread: (partition: number, first: KeptEntry) => boolean;
  /** Whether all entries of a key are kept, because newer ones were. */
  isWanted: (name: string) => boolean;
};

/** Updates the state of a key, and keeps the entries that still matter. */
export const settle = (
  { opens, settled, mayBeUnread, isWanted }: Part,
  name: string,
  open: OpenKey,
): void => {
  const { standing, left, over, finals, isSpent } = historyOf(open.entries, (first) =>
    mayBeUnread(open.partition, first),
  );
  for (const attemptId of over) settled.add(attemptId);
  for (const commandId of finals) settled.add(commandName(name, commandId));
  if (isSpent) settled.add(name);
  if (isWanted(name)) opens.set(name, { ...open, standing });
  else if (left.length > 0) opens.set(name, { ...open, entries: left, standing });
  else opens.delete(name);
};

const isClaimedIn = (entries: readonly KeptEntry[], attemptId: string): boolean =>
  entries.some(({ entry: { step } }) => step.kind === "claimed" && step.attemptId === attemptId);

/**
 * Whether an entry changes nothing, given what was settled before it. An attempt that was released is not
 * settled while a later claim of it is kept.
 */
const isSettled = (
  { settled, opens }: Pick<Part, "settled" | "opens">,
  name: string,
  { step, commandId }: ReadableRecord["entry"],
): boolean => {
  const isOver = (attemptId: string): boolean =>
    settled.has(attemptId) && !isClaimedIn(opens.get(name)?.entries ?? [], attemptId);
  switch (step.kind) {
    case "published":
      return true;
    case "claimed":
      return settled.has(name) || settled.has(commandName(name, commandId));
    case "released":
      return isOver(step.attemptId);
    case "concluded":
      // A success ends all attempts of the command; any other outcome ends one attempt.
      if (step.outcome === "SUCCEEDED") return false;
      return step.attemptId === null || isOver(step.attemptId);
  }
};

/** Folds records of the journal in order. Returns what is kept of each; null for nothing. */
export const foldInto = (part: Part) => {
  const { opens, isWanted } = part;
  return (record: ReadableRecord): KeptEntry | null => {
    const { partition, key, entry } = record;
    const place: Place = { partition, operation: entry.operation, key };
    const name = nameOf(place);
    if (!isWanted(name) && isSettled(part, name, entry)) return null;
    const note = withoutResult(record);
    const open = opens.get(name);
    if (!open && entry.step.kind === "claimed" && entry.step.supersedes === null)
      opens.set(name, { ...place, entries: [note], standing: { kind: "held", claim: note } });
    else
      settle(part, name, { ...place, entries: [...(open?.entries ?? []), note], standing: { kind: "none" } });
    return note;
  };
};
