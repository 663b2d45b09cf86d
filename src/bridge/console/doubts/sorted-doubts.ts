import type { Doubt } from "../../../console/ports.ts";
import { describeDoubt } from "./describe-doubt.ts";
import type { doubtFold, InDoubt } from "./doubt-fold.ts";
import type { Facts } from "./key-history.ts";

type Fold = Pick<ReturnType<typeof doubtFold>, "doubts" | "held">;

/** The doubts of a fold for pages, the oldest first. Describes and sorts them only after a change. */
export const sortedDoubts = (topic: string, fold: () => Fold) => {
  /** Valid while a doubt's facts are the same. */
  const descriptions = new WeakMap<InDoubt["standing"], { facts: Facts | null; doubt: Doubt }>();
  let sorted: Doubt[] | null = null;
  let held = 0;

  const describe = (open: InDoubt): Doubt => {
    const { standing } = open;
    const { facts } = standing.doubt;
    const last = descriptions.get(standing);
    if (last && last.facts === facts) return last.doubt;
    const doubt = describeDoubt(topic, open);
    descriptions.set(standing, { facts, doubt });
    return doubt;
  };
  const all = (): Doubt[] => {
    if (sorted) return sorted;
    held = fold().held();
    const found = fold().doubts().map(describe);
    return (sorted = found.sort((a, b) => a.atMs - b.atMs || a.place.offset - b.place.offset));
  };

  return {
    all,
    /** The number of open claims, as of the last sorting. */
    held: (): number => {
      all();
      return held;
    },
    /** To be called when the fold has changed. */
    changed: (): void => {
      sorted = null;
    },
  };
};
