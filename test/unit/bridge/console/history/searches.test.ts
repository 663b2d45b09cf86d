import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createSearches, type Search } from "../../../../../src/bridge/console/history/searches.ts";
import type { Progress } from "../../../../../src/console/ports.ts";

type Story = { name: string; notes: readonly string[]; progress: Progress };

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Searches that end when they are told to. */
const world = () => {
  const clock = { monotonic: () => Date.now() };
  const changed = vi.fn();
  const searches = createSearches<Story>(
    { clock, describeError: (error) => `sorry: ${String(error)}` },
    changed,
  );
  const begun: { name: string; signal: AbortSignal; end: () => void; fail: (error: Error) => void }[] = [];
  const create = (name: string) => (): Search<Story> => {
    let isComplete = false;
    return {
      run: (signal) =>
        new Promise((resolve, reject) => {
          const end = (): void => {
            isComplete = true;
            resolve();
          };
          begun.push({ name, signal, end, fail: reject });
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        }),
      snapshot: () => ({
        ...{ name, notes: [] },
        progress: { isComplete, read: 0, total: 0, sinceMs: null, problem: null },
      }),
    };
  };
  const ask = (name: string): Story => searches.ask(name, create(name));
  const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
  return { searches, ask, begun, pass, changed };
};

test("callers of one name share its search, and see when it is complete", async () => {
  const { ask, begun, pass, changed } = world();
  expect(ask("a").progress.isComplete).toBe(false);
  ask("a");
  expect(begun).toHaveLength(1);
  begun[0]?.end();
  await pass(0);
  expect(ask("a").progress.isComplete).toBe(true);
  expect(changed).toHaveBeenCalled();
  expect(begun).toHaveLength(1);
});

test("a finished search reads on when it is asked for later", async () => {
  const { ask, begun, pass } = world();
  ask("a");
  begun[0]?.end();
  await pass(5_000);
  expect(ask("a").progress.isComplete).toBe(true);
  expect(begun).toHaveLength(2);
});

test("a search is cancelled when it is no longer asked for", async () => {
  const { ask, begun, pass } = world();
  ask("left");
  ask("watched");
  for (let second = 0; second < 20; second += 1) {
    await pass(1_000);
    ask("watched");
  }
  expect(begun.map(({ name, signal }) => [name, signal.aborted])).toEqual([
    ["left", true],
    ["watched", false],
  ]);
});

test("findings are kept for a minute after they were last asked for", async () => {
  const { ask, begun, pass } = world();
  ask("a");
  begun[0]?.end();
  await pass(55_000);
  expect(ask("a").progress.isComplete).toBe(true);
  begun[1]?.end();
  await pass(62_000);
  expect(ask("a").progress.isComplete).toBe(false);
});

test("a few run at once; the others wait and say so", async () => {
  const { ask, begun, pass } = world();
  const names = Array.from({ length: 6 }, (_, nth) => `search-${nth}`);
  const histories = names.map(ask);
  expect(begun).toHaveLength(4);
  expect(histories.map(({ notes }) => notes.length)).toEqual([0, 0, 0, 0, 1, 1]);
  begun[0]?.end();
  await pass(0);
  expect(begun).toHaveLength(5);
});

test("the finished one that was asked for longest ago makes room; without a finished one there is no room", async () => {
  const { ask, begun, pass } = world();
  for (let nth = 0; nth < 32; nth += 1) ask(`search-${nth}`);
  expect(ask("one more").progress.problem).toContain("Too many searches");
  begun[3]?.end();
  await pass(0);
  expect(ask("one more").progress.problem).toBeNull();
});

test("a failed search says why, and begins anew when it is asked for later", async () => {
  const { ask, begun, pass } = world();
  ask("a");
  begun[0]?.fail(new Error("Kafka is away"));
  await pass(0);
  expect(ask("a").progress.problem).toBe("sorry: Error: Kafka is away");
  await pass(5_000);
  ask("a");
  begun[1]?.end();
  await pass(0);
  expect(ask("a").progress).toMatchObject({ isComplete: true, problem: null });
});

test("all end when it is closed", async () => {
  const { searches, ask, begun, changed, pass } = world();
  for (const name of ["a", "b"]) ask(name);
  await searches.close();
  expect(begun.every(({ signal }) => signal.aborted)).toBe(true);
  changed.mockClear();
  await pass(60_000);
  expect(changed).not.toHaveBeenCalled();
});
