import { contentOf, type Fingerprint } from "../../../commands-to-results/journal-rules/fingerprint.ts";
import type { Entry, JournalRecord } from "../../../commands-to-results/journal-rules/entry.ts";
import { createMemory, type Known, type Memory } from "../../../commands-to-results/journal-rules/memory.ts";

/** A record of the journal that this build can fold. */
export type Readable = JournalRecord & { entry: Entry };

/** What became of a command: `final` is null where it may be tried again. */
type End = { partition: number; offset: number; requestHash: string; final: { succeeded: boolean } | null };

export type Closed = {
  close: (print: Fingerprint, end: End) => void;
  look: (partition: number, print: Fingerprint) => Known;
  /** What was closed right before this part. */
  follows: (older: Closed) => void;
  /** Whether all that an entry's command had done before it was closed. */
  knows: (record: Readable, print: Fingerprint) => boolean;
  /** Whether a claim comes too late: its command has its final result, or its quote is used. */
  refuses: (partition: number, print: Fingerprint) => boolean;
  /** Whether an entry of a key of which nothing is open may open something. Takes down what else it says. */
  opens: (record: Readable, print: Fingerprint) => boolean;
  forgetBefore: (partition: number, offset: number) => void;
};

/**
 * What is closed in a part of the journal, in a few bytes for each command. A rejection without an attempt is remembered apart (as `taken`): it
 * ends nothing where an older claim of the command is open, and an end of that claim may follow.
 */
export const createClosed = (): Closed => {
  const memories = new Map<number, Memory>();
  const memoryOf = (partition: number): Memory => {
    const memory = memories.get(partition) ?? createMemory();
    memories.set(partition, memory);
    return memory;
  };

  let before: Closed | null = null;
  const look = (partition: number, print: Fingerprint): Known => {
    const own = memoryOf(partition).look(print);
    const old = before?.look(partition, print);
    if (!old) return own;
    const { final, spent, content } = own;
    return { final: final ?? old.final, spent: spent || old.spent, content: content ?? old.content };
  };

  const close = (print: Fingerprint, { partition, offset, requestHash, final }: End, unattempted = false) => {
    const memory = memoryOf(partition);
    memory.meet(print, { content: contentOf(requestHash), offset });
    if (final !== null) memory.remember(print, { offset, taken: unattempted, ...final });
  };

  return {
    close,
    look,
    follows: (older: Closed): void => {
      before = older;
    },
    refuses: (partition: number, print: Fingerprint): boolean => {
      const { final, spent } = look(partition, print);
      return spent || final?.taken === false;
    },
    knows: ({ partition }: Readable, print: Fingerprint): boolean => {
      const { final, content } = look(partition, print);
      return content !== null && final?.taken !== true;
    },
    opens: ({ partition, offset, entry: { step } }: Readable, print: Fingerprint): boolean => {
      const { final, spent, content } = look(partition, print);
      const unattempted = final?.taken === true;
      const isKnown = content !== null && !unattempted;
      if (step.kind === "published") return false;
      if (final && !unattempted) {
        // It contradicts the final result: the quote is used all the same.
        if (step.kind === "concluded" && step.outcome === "SUCCEEDED")
          close(print, { partition, offset, requestHash: step.requestHash, final: { succeeded: true } });
        return false;
      }
      if (step.kind === "claimed") {
        const isOther = isKnown && content !== contentOf(step.requestHash);
        const isFirst = step.supersedes === null;
        return !spent && !isOther && (isFirst ? !unattempted : !isKnown);
      }
      // Nothing of a command whose history was closed can be ended, and a late end of it opens nothing.
      const isUnattempted = step.kind === "concluded" && step.attemptId === null;
      if (!isKnown && !isUnattempted) return true;
      if (step.kind === "concluded" && step.outcome !== "IN_DOUBT" && !final) {
        const { requestHash } = step;
        if (content !== null && content !== contentOf(requestHash)) return false;
        const end = { partition, offset, requestHash, final: { succeeded: step.outcome === "SUCCEEDED" } };
        close(print, end, !isKnown);
      }
      return false;
    },
    forgetBefore: (partition: number, offset: number): void => {
      memories.get(partition)?.forgetBefore(offset);
      before?.forgetBefore(partition, offset);
    },
  };
};
