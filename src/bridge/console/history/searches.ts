import type { Progress } from "../../../console/ports.ts";
import type { Clock } from "../../../runtime/clock.ts";

/** A search that runs in the background. */
export type Search<S> = {
  /**
   * Reads on from where it was to the current end of the topics. After a rejection the search is discarded.
   */
  run: (signal: AbortSignal) => Promise<void>;
  /** What it has found so far. */
  snapshot: () => S;
};

type History = { progress: Progress; notes: readonly string[] };

export type Searches<S> = {
  /** What the search of this name has found so far. The first call creates and starts the search. */
  ask: (name: string, create: () => Search<S>) => S;
  close: () => Promise<void>;
};

type Entry<S> = {
  create: () => Search<S>;
  search: Search<S>;
  state: "waiting" | "running" | "resting";
  askedAt: number;
  restingSince: number;
  problem: string | null;
  stop: AbortController;
};

/** For commands, and again for transactions. */
const MAX_RUNNING = 4;
const MAX_KEPT = 32;
const KEPT_MS = 60_000;
/** An open page asks more often. */
const ABANDONED_AFTER_MS = 15_000;
/** A finished search reads on when it is asked for after this time. */
const FRESH_MS = 5_000;
const EXPIRE_EVERY_MS = 1_000;

const WAITS = "This search waits until others have ended.";
const TOO_MANY = "Too many searches are under way: ask again in a minute.";

/**
 * Runs searches in the background while somebody asks for them, a few at once, and caches what they found.
 * @param changed is called while there is something new to show
 */
export const createSearches = <S extends History>(
  { clock, describeError }: { clock: Pick<Clock, "monotonic">; describeError: (error: unknown) => string },
  changed: () => void,
): Searches<S> => {
  const entries = new Map<string, Entry<S>>();
  const runningSearches = new Set<Promise<void>>();

  const run = async (entry: Entry<S>): Promise<void> => {
    entry.state = "running";
    try {
      await entry.search.run(entry.stop.signal);
      entry.problem = null;
    } catch (error) {
      entry.problem = describeError(error);
    }
    entry.state = "resting";
    entry.restingSince = clock.monotonic();
  };
  const fill = (): void => {
    for (const entry of entries.values()) {
      if (runningSearches.size >= MAX_RUNNING) return;
      if (entry.state !== "waiting") continue;
      const running = run(entry).finally(() => {
        runningSearches.delete(running);
        fill();
        changed();
      });
      runningSearches.add(running);
    }
  };
  const drop = (name: string, entry: Entry<S>): void => {
    entries.delete(name);
    entry.stop.abort(new Error("nobody asks for it any more"));
  };
  const expire = (): void => {
    const now = clock.monotonic();
    for (const [name, entry] of entries) {
      const unaskedMs = now - entry.askedAt;
      if (unaskedMs > (entry.state === "resting" ? KEPT_MS : ABANDONED_AFTER_MS)) drop(name, entry);
    }
    if (runningSearches.size > 0) changed();
  };
  const timer = setInterval(expire, EXPIRE_EVERY_MS);
  timer.unref();

  /** Whether one more search can be kept; drops the oldest finished one if needed. */
  const makeRoom = (): boolean => {
    if (entries.size < MAX_KEPT) return true;
    const resting = [...entries].filter(([, { state }]) => state === "resting");
    const [oldest] = resting.sort(([, a], [, b]) => a.askedAt - b.askedAt);
    if (oldest) drop(...oldest);
    return oldest !== undefined;
  };

  const add = (name: string, create: () => Search<S>): Entry<S> | null => {
    if (!makeRoom()) return null;
    const now = clock.monotonic();
    const entry: Entry<S> = {
      create,
      search: create(),
      state: "waiting",
      askedAt: now,
      restingSince: now,
      problem: null,
      stop: new AbortController(),
    };
    entries.set(name, entry);
    return entry;
  };
  const readOn = (entry: Entry<S>): void => {
    if (entry.state !== "resting" || clock.monotonic() - entry.restingSince < FRESH_MS) return;
    if (entry.problem !== null) entry.search = entry.create();
    entry.state = "waiting";
  };
  const withProblem = (history: S, problem: string | null, notes: readonly string[]): S => ({
    ...history,
    notes: [...history.notes, ...notes],
    progress: { ...history.progress, problem: problem ?? history.progress.problem },
  });

  return {
    ask: (name, create) => {
      const entry = entries.get(name) ?? add(name, create);
      if (entry === null) return withProblem(create().snapshot(), TOO_MANY, []);
      entry.askedAt = clock.monotonic();
      readOn(entry);
      fill();
      const history = entry.search.snapshot();
      const waits = entry.state === "waiting" && !history.progress.isComplete;
      return withProblem(history, entry.problem, waits ? [WAITS] : []);
    },
    close: async () => {
      clearInterval(timer);
      for (const [name, entry] of entries) drop(name, entry);
      await Promise.allSettled(runningSearches);
    },
  };
};
