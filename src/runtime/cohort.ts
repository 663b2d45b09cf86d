/**
 * Gathers what comes in one turn of the event loop, and does it all when the turn is over, in the order of its coming: "cohort scheduling". The
 * processor's caches then serve one step for many items, and not all steps for each. What comes alone waits for the end of its turn.
 * @param each never throws: what comes after it would not be done
 */
export const cohort = <T>(each: (item: T) => void): ((item: T) => void) => {
  let gathered: T[] = [];
  const doAll = (): void => {
    const items = gathered;
    gathered = [];
    for (const item of items) each(item);
  };
  return (item) => {
    if (gathered.length === 0) setImmediate(doAll);
    gathered.push(item);
  };
};
