/** Names of a generation. Together with the one before it they take some ten megabytes. */
const MANY = 50_000;

/** Remembers the names of what was settled last: attempts that are over, commands with a final result, keys that are spent. */
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
