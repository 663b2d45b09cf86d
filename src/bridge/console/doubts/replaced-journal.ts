import type { Mark } from "../../../kafka/mark.ts";
import type { Incoming } from "../../../kafka/record.ts";

type Places = ReadonlyMap<number, { last: Mark | null }>;

/** Whether the journal is another one than it was: what the former one said is known to nobody here. */
export const otherJournal = (now: () => number) => {
  let other: { sinceMs: number; former: Places } | null = null;
  return {
    /** It begins anew, and is shorter than it was, or holds another record where one was known. */
    found: (former: Places): void => {
      other ??= { sinceMs: now(), former };
    },
    /** A record of the former one shows that it is the same after all: a broker that was frozen told an old end. */
    saw: ({
      partition,
      offset,
      timestampMs,
    }: Pick<Incoming, "partition" | "offset" | "timestampMs">): void => {
      const last = other?.former.get(partition)?.last;
      if (last?.offset === offset && last.timestampMs === timestampMs) other = null;
    },
    problem: (): string | null =>
      other &&
      `The journal is another one since ${new Date(other.sinceMs).toISOString()}: doubts of the former one are not known here.`,
  };
};
