import type { RecordPosition } from "../../runtime/record-position.ts";
import type { FoldedEntry, JournalRecord, Ref } from "./entry.ts";
import { contentOf, fingerprint, keyName, type Fingerprint } from "./fingerprint.ts";
import { createMemory } from "./memory.ts";
import { changeOf, type Claim } from "./fold-rules.ts";

/** What the journal says of one command, as far as it was read. */
export type Look =
  /** The key may be claimed. Whether the claim wins is known only after it was folded. */
  | { kind: "free" }
  | { kind: "held"; claim: Claim }
  /** `position`: the entry with the IN_DOUBT result. */
  | { kind: "doubt"; claim: Claim; position: RecordPosition }
  /** `taken`: the fold concluded it, and `position` is its Claimed entry. */
  | { kind: "concluded"; position: RecordPosition; taken: boolean };

export type Doubt = { ref: Ref; claim: Claim; position: RecordPosition; sinceMs: number };
/** A claim that holds its key. `position`: of the claim. */
export type Held = Pick<Doubt, "ref" | "claim" | "position">;
/** A final result after a doubt that is not yet known to be durable on the results topic. */
export type Unpublished = { ref: Ref; position: RecordPosition; resultId: string; sinceMs: number };

/**
 * A conclusion that contradicts the final result: one says that the partner executed the command, the other that it
 * did not.
 */
export type Contradicted = { ref: Ref; position: RecordPosition; timestampMs: number; saysExecuted: boolean };

type Open = { ref: Ref; claim: Claim; print: Fingerprint; offset: number; doubtSinceMs: number | null };

/** The state of one partition, as far as it was read. Only keys that are claimed or in doubt cost an object. */
export type PartitionView = ReturnType<typeof createPartitionView>;

/** Claims since the Map was renewed, beyond those that are open. */
const RENEW_AFTER_CLAIMS = 256;

const commandName = (ref: Ref): string => `${keyName(ref)}\n${ref.commandId}`;

/**
 * @param contradicted called for each contradiction when its entry is folded
 * @param expected about how many commands will come
 */
export const createPartitionView = (
  partition: number,
  contradicted: (contradiction: Contradicted) => void = () => undefined,
  expected = 0,
) => {
  let opens = new Map<string, Open>();
  let claimsSinceRenewed = 0;
  const unpublished = new Map<string, Unpublished>();
  const memory = createMemory(expected);

  const claimOf = ({ commandId, step }: FoldedEntry, timestampMs: number): Claim | null => {
    if (step.kind !== "claimed") return null;
    const { attemptId, requestHash, callWithinMs, receivedAt, attempts } = step;
    return { commandId, attemptId, requestHash, callWithinMs, receivedAt, attempts, timestampMs };
  };

  /** The open key of a command; null if no command, or another one, has the key open. */
  const openOf = (ref: Ref): Open | null => {
    const open = opens.get(keyName(ref));
    return open?.claim.commandId === ref.commandId ? open : null;
  };

  /**
   * Renews the Map now and then: one that a million claims went through keeps deleted entries, which made start-up a
   * quarter slower.
   */
  const hold = (name: string, open: Open): void => {
    opens.set(name, open);
    claimsSinceRenewed += 1;
    if (claimsSinceRenewed <= opens.size + RENEW_AFTER_CLAIMS) return;
    opens = new Map(opens);
    claimsSinceRenewed = 0;
  };

  return {
    /** Folds the next record. */
    fold: ({ offset, timestampMs, key }: JournalRecord, entry: FoldedEntry): void => {
      const ref: Ref = { operation: entry.operation, key, commandId: entry.commandId };
      const name = keyName(ref);
      const open = opens.get(name) ?? null;
      const own = open?.claim.commandId === entry.commandId;
      // The command that has the key open has no final result, and its fingerprint is at hand.
      const print = own ? open.print : fingerprint(ref);
      const { step } = entry;
      const content =
        step.kind === "claimed" || step.kind === "concluded" ? contentOf(step.requestHash) : null;
      const { final, spent, content: first } = memory.look(print);
      const change = changeOf(
        {
          open: open && { claim: open.claim, inDoubt: open.doubtSinceMs !== null },
          final: own ? null : final,
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
        case "held": {
          const claim = claimOf(entry, timestampMs);
          if (claim) hold(name, { ref, claim, print, offset, doubtSinceMs: null });
          break;
        }
        case "freed":
          opens.delete(name);
          break;
        case "doubted":
          if (open) opens.set(name, { ...open, offset, doubtSinceMs: timestampMs });
          break;
        case "taken":
          memory.remember(print, { offset, taken: true, succeeded: false });
          break;
        case "final":
          if (change.closes) opens.delete(name);
          memory.remember(print, { offset, taken: false, succeeded: change.succeeded });
          if (change.afterDoubt && step.kind === "concluded") {
            const { resultId } = step;
            const position = { partition, offset };
            unpublished.set(commandName(ref), { ref, position, resultId, sinceMs: timestampMs });
          }
          break;
        case "contradicted":
          if (change.spends) memory.markSpent(print);
          contradicted({ ref, position: { partition, offset }, timestampMs, saysExecuted: change.spends });
          break;
        case "published":
          unpublished.delete(commandName(ref));
          break;
      }
    },

    look: (ref: Ref): Look => {
      const open = openOf(ref);
      if (open) {
        if (open.doubtSinceMs === null) return { kind: "held", claim: open.claim };
        return { kind: "doubt", claim: open.claim, position: { partition, offset: open.offset } };
      }
      const { final } = memory.look(fingerprint(ref));
      if (!final) return { kind: "free" };
      return { kind: "concluded", position: { partition, offset: final.offset }, taken: final.taken };
    },

    /** Whether this attempt holds the key, and no command is known to have executed the accept. */
    holds: (ref: Ref, attemptId: string): boolean => {
      const open = openOf(ref);
      return (
        open !== null &&
        open.doubtSinceMs === null &&
        open.claim.attemptId === attemptId &&
        !memory.look(open.print).spent
      );
    },

    /** Whether the command has an entry under its key. */
    knows: (print: Fingerprint): boolean => memory.look(print).content !== null,
    /** Whether the command's first entry under its key has another content. */
    hasOtherContent: (ref: Ref, requestHash: string): boolean => {
      const { content: first } = memory.look(fingerprint(ref));
      return first !== null && first !== contentOf(requestHash);
    },
    /** Whether the commandId has an entry under another key of this partition. */
    knowsElsewhere: (print: Fingerprint): boolean => memory.knowsElsewhere(print),

    isUnpublished: (ref: Ref): boolean => unpublished.has(commandName(ref)),

    unpublished: (): Unpublished[] => [...unpublished.values()],

    held: (): Held[] =>
      [...opens.values()]
        .filter(({ doubtSinceMs }) => doubtSinceMs === null)
        .map(({ ref, claim, offset }) => ({ ref, claim, position: { partition, offset } })),

    doubts: (): Doubt[] =>
      [...opens.values()].flatMap(({ ref, claim, offset, doubtSinceMs: sinceMs }) =>
        sinceMs === null ? [] : [{ ref, claim, position: { partition, offset }, sinceMs }],
      ),

    /** Forgets what retention has deleted. */
    forgetBefore: (offset: number): void => {
      memory.forgetBefore(offset);
      for (const [name, open] of opens) if (open.offset < offset) opens.delete(name);
      for (const [name, { position }] of unpublished) if (position.offset < offset) unpublished.delete(name);
    },

    count: (): { open: number; commands: number; bytes: number } => ({
      open: opens.size,
      commands: memory.count,
      bytes: memory.bytes,
    }),
  };
};
