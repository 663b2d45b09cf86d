/** Uses a value at once unless it is a promise: another promise for each of millions of records would be slow. */
export const whenKnown = <T, R>(value: T | Promise<T>, use: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(use) : use(value);
