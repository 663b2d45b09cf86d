import type { RecordPosition } from "../../runtime/record-position.ts";
import type { FoldedEntry, JournalRecord, Ref } from "./entry.ts";
import { contentWord, fingerprint, keyName, type Fingerprint } from "./fingerprint.ts";
import { createMemory } from "./memory.ts";
import { changeOf, type Claim } from "./fold-rules.ts";

export type Look =
  /** Its first entry has other content than was asked for: the commandId belongs to that one. */
  | { kind: "otherContent" }
  /** `isTaken`: another command holds, doubts or used the quote. `isNamedElsewhere`: its commandId has another key. */
  | { kind: "free"; isTaken: boolean; isNamedElsewhere: boolean }
  | { kind: "held"; claim: Claim }
  /** `position`: the entry with the IN_DOUBT result. */
  | { kind: "doubt"; claim: Claim; position: RecordPosition }
  /** `position`: its Concluded entry; its Claimed entry where the fold concluded it, because the quote is taken. */
  | { kind: "concluded"; position: RecordPosition };

export type Held = { ref: Ref; claim: Claim; position: RecordPosition };
export type JournalDoubt = Held & { sinceMs: number };
/** A final result after a doubt that is not yet known to be durable on the results topic. */
export type Unpublished = { ref: Ref; position: RecordPosition; resultId: string; sinceMs: number };

/** A conclusion that contradicts the final result: one of the two says that the partner executed the command. */
export type Contradicted = { ref: Ref; position: RecordPosition; timestampMs: number; saysExecuted: boolean };

/** `position`: that of the claim or, in doubt, of the IN_DOUBT entry. `sinceMs`: null if it is no doubt. */
export type Open = Held & { print: Fingerprint; sinceMs: number | null };

export type PartitionView = ReturnType<typeof createPartitionView>;

export const commandName = (ref: Ref): string => `${keyName(ref)}\n${ref.commandId}`;

/** The state of one partition, as far as it was read. Only keys that are claimed or in doubt cost an object. */
export const createPartitionView = (
  partition: number,
  target: number,
  contradicted: (contradiction: Contradicted) => void,
) => {
  /** By operation and key. */
  const opensOf = { ACCEPT_QUOTE: new Map<string, Open>(), CREATE_QUOTE: new Map<string, Open>() };
  const unpublished = new Map<string, Unpublished>();
  const memory = createMemory();

  return {
    opensOf,
    unpublished,
    memory,
    /** Offset of the next record; null until the partition is begun. */
    next: null as number | null,
    /** It is ready from this offset on: the log's end at `begin`, or where the view was before. */
    target,

    fold: ({ offset, timestampMs, key }: JournalRecord, entry: FoldedEntry): void => {
      const position = { partition, offset };
      const { operation, commandId, step } = entry;
      const ref: Ref = { operation, key, commandId };
      const opens = opensOf[operation];
      const open = opens.get(key) ?? null;
      const isOpenHere = open?.claim.commandId === commandId;
      // The command that has the key open has no final result, and its fingerprint is at hand.
      const print = isOpenHere ? open.print : fingerprint(ref);
      const content = "requestHash" in step ? contentWord(step.requestHash) : null;
      const { final, spent, content: first } = memory.look(print);
      const change = changeOf(
        {
          open: open && { claim: open.claim, inDoubt: open.sinceMs !== null },
          final: isOpenHere ? null : final,
          spent,
          otherContent: content !== null && first !== null && first !== content,
          unpublished: unpublished.size > 0 ? (unpublished.get(commandName(ref))?.resultId ?? null) : null,
        },
        entry,
      );
      const isFirst = content !== null && first === null;
      if (isFirst && change.kind !== "nothing") memory.meet(print, { content, offset });
      switch (change.kind) {
        case "nothing":
          break;
        case "held":
          if (step.kind !== "claimed") break;
          opens.set(key, {
            ref,
            claim: { ...step, commandId, timestampMs },
            position,
            print,
            sinceMs: null,
          });
          break;
        case "freed":
          opens.delete(key);
          break;
        case "doubted":
          if (open) opens.set(key, { ...open, position, sinceMs: timestampMs });
          break;
        case "taken":
          memory.remember(print, { offset, succeeded: false });
          break;
        case "final":
          if (change.closes) opens.delete(key);
          memory.remember(print, { offset, succeeded: change.succeeded });
          if (change.afterDoubt && step.kind === "concluded") {
            const { resultId } = step;
            unpublished.set(commandName(ref), { ref, position, resultId, sinceMs: timestampMs });
          }
          break;
        case "contradicted":
          if (change.spends) memory.markSpent(print);
          contradicted({ ref, position, timestampMs, saysExecuted: change.spends });
          break;
        case "published":
          unpublished.delete(commandName(ref));
          break;
      }
    },

    forgetBefore: (offset: number): void => {
      memory.forgetBefore(offset);
      for (const entries of [...Object.values(opensOf), unpublished])
        for (const [name, { position }] of entries) if (position.offset < offset) entries.delete(name);
    },
  };
};
