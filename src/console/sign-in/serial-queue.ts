/** Runs one work at a time; null, and nothing is run, while `maxWaiting` are waiting already. */
export const inTurn = (maxWaiting: number) => {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> | null => {
    if (waiting >= maxWaiting) return null;
    waiting++;
    const mine = last.then(work).finally(() => waiting--);
    last = mine.catch(() => undefined);
    return mine;
  };
};
