import type { Step } from "../../../commands-to-results/journal-rules/entry.ts";
import {
  fingerprint,
  keyName,
  type Fingerprint,
} from "../../../commands-to-results/journal-rules/fingerprint.ts";
import type { Closed, Readable } from "./closed.ts";
import {
  attemptBefore,
  historyOf,
  saysSucceeded,
  type Noted,
  type Place,
  type Standing,
} from "./key-history.ts";

/** A key about which something may still have to be said: its entries that were read, the oldest first. */
export type Open = Place & { notes: Noted[]; standing: Standing };

const nameOf = ({ partition, operation, key }: Place): string => `${partition}${keyName({ operation, key })}`;

const placeOf = ({ partition, key, entry: { operation } }: Readable): Place => ({
  partition,
  operation,
  key,
});

/** The bytes of a result may be many, and what a page shows of them is decoded elsewhere. */
const noteOf = ({ offset, timestampMs, entry }: Readable): Noted => {
  const { step } = entry;
  const small = step.kind === "concluded" ? { ...entry, step: { ...step, result: Buffer.alloc(0) } } : entry;
  return { offset, timestampMs, entry: small, facts: null };
};

/** So many entries of a key are kept whatever they say. */
const MANY = 64;

const changesNothing = (note: Noted, standing: Standing): boolean =>
  note.entry.step.kind === "claimed" && standing.kind !== "none" && standing.claim !== note;

/** That takes nothing over. */
const isClaim = (step: Step): boolean => step.kind === "claimed" && step.supersedes === null;

/** By far most commands: claimed, and ended by the same attempt. Says what the history says, without folding it. */
const isPlainEnd = (notes: readonly Noted[]): boolean => {
  const [claim, end, ...more] = notes.map(({ entry }) => entry);
  if (claim?.step.kind !== "claimed" || claim.step.supersedes !== null || !end || more.length > 0)
    return false;
  if (end.commandId !== claim.commandId || !("attemptId" in end.step)) return false;
  if (end.step.attemptId !== claim.step.attemptId) return false;
  if (end.step.kind === "released") return true;
  const { step } = end;
  return (
    step.kind === "concluded" && step.outcome !== "IN_DOUBT" && step.requestHash === claim.step.requestHash
  );
};

/** Takes down what a key came to. @param finals whether they succeeded, of the commands that have their final result */
export const remember = (closed: Closed, open: Open, finals: ReadonlyMap<string, boolean>): void => {
  const { partition, operation, key } = open;
  const seen = new Set<string>();
  for (const { entry, offset } of open.notes) {
    const { commandId, step } = entry;
    if (seen.has(commandId) || !("requestHash" in step)) continue;
    seen.add(commandId);
    const succeeded = finals.get(commandId);
    const final = succeeded === undefined ? null : { succeeded };
    const print = fingerprint({ operation, key, commandId });
    closed.close(print, { partition, offset, requestHash: step.requestHash, final });
  }
};

type FoldOptions = {
  /** Whether newer entries of a key are kept: then all of its entries are. */
  isWanted: (name: string) => boolean;
  /** Whether older entries are still to be read. */
  mayBeOlder: () => boolean;
};

/**
 * Folds records of the journal in their order, and keeps the keys that are open, or of which something older must be known. An attempt has an end
 * only where its claim held the key, and then nothing before it was open: a key whose entries name no attempt but those claimed among them, and
 * leave nothing open, is closed whatever stands before them.
 */
export const foldInto = (
  opens: Map<string, Open>,
  closed: Closed,
  { isWanted, mayBeOlder }: FoldOptions,
): ((record: Readable) => Noted | null) => {
  const end = (name: string, open: Open, finals: ReadonlyMap<string, boolean>): void => {
    if (isWanted(name)) return;
    opens.delete(name);
    remember(closed, open, finals);
  };

  const printOf = (record: Readable): Fingerprint =>
    fingerprint({ ...placeOf(record), commandId: record.entry.commandId });

  /** A late end of what was closed changes nothing in what was opened since, unless it says that the same command was executed. */
  const isLate = ({ notes }: Open, record: Readable): boolean => {
    const { entry } = record;
    const { commandId, step } = entry;
    const attempt = attemptBefore(entry);
    if (attempt === null || step.kind === "claimed") return false;
    const isNamed = notes.some(
      ({ entry: named }) =>
        attemptBefore(named) === attempt ||
        (named.step.kind === "claimed" && named.step.attemptId === attempt),
    );
    if (isNamed) return false;
    if (saysSucceeded(entry) && notes.some(({ entry: other }) => other.commandId === commandId)) return false;
    return !mayBeOlder() || closed.knows(record, printOf(record));
  };

  const mayBegin = (name: string, record: Readable): boolean => {
    const { step } = record.entry;
    if (!isWanted(name)) return closed.opens(record, printOf(record)) && (mayBeOlder() || isClaim(step));
    // It may have been closed before it was wanted.
    return isClaim(step) || saysSucceeded(record.entry) || !closed.knows(record, printOf(record));
  };

  const begin = (name: string, record: Readable): Open | null => {
    if (!mayBegin(name, record)) return null;
    const open: Open = { ...placeOf(record), notes: [], standing: { kind: "none" } };
    opens.set(name, open);
    return open;
  };

  return (record) => {
    const { step, commandId } = record.entry;
    if (step.kind === "published") return null;
    const name = nameOf(placeOf(record));
    const known = opens.get(name);
    if (known && isLate(known, record)) {
      closed.opens(record, printOf(record));
      return null;
    }
    if (known && step.kind === "claimed" && closed.refuses(record.partition, printOf(record))) return null;
    const open = known ?? begin(name, record);
    if (!open) return null;
    const note = noteOf(record);
    open.notes.push(note);
    if (open.notes.length === 1 && step.kind === "claimed" && step.supersedes === null) {
      open.standing = { kind: "held", claim: note };
    } else if (isPlainEnd(open.notes)) {
      open.standing = { kind: "none" };
      const finals = step.kind === "concluded" ? [[commandId, step.outcome === "SUCCEEDED"] as const] : [];
      end(name, open, new Map(finals));
    } else {
      const { standing, isWhole, finals } = historyOf(open.notes, open);
      open.standing = standing;
      // Somebody may send commands for a quote in doubt without end.
      if (open.notes.length > MANY && isWhole && changesNothing(note, standing)) open.notes.pop();
      if (standing.kind === "none" && (isWhole || !mayBeOlder()))
        end(name, open, new Map(finals.map((each) => [each.commandId, each.succeeded])));
    }
    return note;
  };
};
