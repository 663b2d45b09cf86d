/**
 * Runs one task at a time. Returns null, and runs nothing, while `maxWaiting` tasks are queued or running.
 */
export const createSerialQueue = (maxWaiting: number) => {
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
