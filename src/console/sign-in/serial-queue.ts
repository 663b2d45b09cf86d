/**
 * Runs one task at a time. Returns null, and runs nothing, while `maxWaiting` tasks are queued or running, or
 * `maxOfOwner` of the same owner.
 */
export const createSerialQueue = (maxOfOwner: number) => {
  /** Of the tasks that are queued or running, in their order. */
  const owners: string[] = [];
  let last: Promise<unknown> = Promise.resolve();
  return <T>(owner: string, maxWaiting: number, work: () => Promise<T>): Promise<T> | null => {
    if (owners.length >= maxWaiting) return null;
    if (owners.filter((one) => one === owner).length >= maxOfOwner) return null;
    owners.push(owner);
    const mine = last.then(work).finally(() => owners.shift());
    last = mine.catch(() => undefined);
    return mine;
  };
};
