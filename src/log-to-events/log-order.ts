import { occurredAtOf } from "../notification/occurred-at.ts";

/** A local time: its text sorts as its time does. */
const LOCAL_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:/;
const NO_INSTANT = Number.MAX_VALUE;
/** Sorts after every local time. */
const NO_TIME = "~";

/** What notifications of a transaction are sorted by. */
export type SortKey = { instant: number; text: string };

export const sortKeyOf = (createdAt: string): SortKey => {
  const instant = occurredAtOf(createdAt);
  if (instant !== null) return { instant, text: "" };
  return { instant: NO_INSTANT, text: LOCAL_TIME.test(createdAt) ? createdAt.replace(" ", "T") : NO_TIME };
};

/** Instants first, then local times, then all other texts, of which none is before another. */
export const compareSortKeys = (a: SortKey, b: SortKey): number =>
  a.instant - b.instant || Number(a.text > b.text) - Number(a.text < b.text);

const isLocal = ({ instant }: SortKey): boolean => instant === NO_INSTANT;

/** Finds out whether a log shows the newest first: whether its times descend more often than they ascend. */
export const logOrder = () => {
  let previous: SortKey | null = null;
  let ascents = 0;
  let descents = 0;
  return {
    /** Takes the next notification of the log. */
    next: (createdAt: string): void => {
      const key = sortKeyOf(createdAt);
      if (key.text === NO_TIME) return;
      if (previous !== null && isLocal(previous) === isLocal(key)) {
        const order = compareSortKeys(previous, key);
        if (order < 0) ascents += 1;
        if (order > 0) descents += 1;
      }
      previous = key;
    },
    isNewestFirst: (): boolean => descents > ascents,
  };
};
