/** Names per generation; two generations take about ten megabytes. */
const MANY = 50_000;

/**
 * Remembers, in bounded memory, the finished attempts, commands with a final result, and spent keys that were
 * added last.
 */
export const createSettled = () => {
  let latest = new Set<string>();
  let before: ReadonlySet<string> = new Set<string>();

  const add = (name: string): void => {
    if (latest.size >= MANY) [before, latest] = [latest, new Set()];
    latest.add(name);
  };

  return {
    add,
    has: (name: string): boolean => latest.has(name) || before.has(name),
    names: (): string[] => [...before, ...latest],
  };
};
export type Settled = ReturnType<typeof createSettled>;
