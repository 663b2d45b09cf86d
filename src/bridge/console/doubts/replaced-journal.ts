import type { Mark } from "../../../kafka/mark.ts";
import type { Incoming } from "../../../kafka/record.ts";

type Places = ReadonlyMap<number, { last: Mark | null }>;

/**
 * Remembers that the journal was replaced (deleted and created anew), so that pages say that former doubts
 * are unknown.
 */
export const detectReplacement = (now: () => number) => {
  let other: { sinceMs: number; former: Places } | null = null;
  return {
    /** The journal became shorter, or holds another record at a known place. */
    replaced: (former: Places): void => {
      other ??= { sinceMs: now(), former };
    },
    /**
     * A record of the former journal shows that it is the same: a broker that was frozen had reported an old
     * end.
     */
    sawRecord: ({
      partition,
      offset,
      timestampMs,
    }: Pick<Incoming, "partition" | "offset" | "timestampMs">): void => {
      const last = other?.former.get(partition)?.last;
      if (last?.offset === offset && last.timestampMs === timestampMs) other = null;
    },
    problem: (): string | null =>
      other &&
      `The journal was replaced at ${new Date(other.sinceMs).toISOString()}: doubts of the former one are not known here.`,
  };
};
