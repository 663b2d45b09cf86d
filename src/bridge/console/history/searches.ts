import type { Progress } from "../../../console/ports.ts";
import type { Clock } from "../../../runtime/clock.ts";

/** Looks for something in the background. */
export type Search<S> = {
  /** Reads on from where it was, until what there is now is known. Rejects when it cannot; then a new search begins anew. */
  run: (signal: AbortSignal) => Promise<void>;
  /** What is known by now. */
  story: () => S;
};

type Story = { progress: Progress; notes: readonly string[] };

export type Searches<S> = {
  /** What is known by now of what has this name. The first question makes a search and begins it. */
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

/** Commands and transactions have each as many. */
const MAX_RUNNING = 4;
const MAX_KEPT = 32;
const KEPT_MS = 60_000;
/** A page that is open asks more often. */
const GIVEN_UP_AFTER_MS = 15_000;
/** What comes later is looked for when it is asked for after so long. */
const FRESH_MS = 5_000;
const LOOK_EVERY_MS = 1_000;

const WAITS = "This search waits until others have ended.";
const TOO_MANY = "Too many searches are under way: ask again in a minute.";

/**
 * Runs searches for as long as somebody asks for them, some at once, and keeps what they found for a while.
 * @param changed hears while there is something new to be seen
 */
export const createSearches = <S extends Story>(
  { clock, inWords }: { clock: Pick<Clock, "monotonic">; inWords: (error: unknown) => string },
  changed: () => void,
): Searches<S> => {
  const entries = new Map<string, Entry<S>>();
  const under = new Set<Promise<void>>();

  const run = async (entry: Entry<S>): Promise<void> => {
    entry.state = "running";
    try {
      await entry.search.run(entry.stop.signal);
      entry.problem = null;
    } catch (error) {
      entry.problem = inWords(error);
    }
    entry.state = "resting";
    entry.restingSince = clock.monotonic();
  };
  const fill = (): void => {
    for (const entry of entries.values()) {
      if (under.size >= MAX_RUNNING) return;
      if (entry.state !== "waiting") continue;
      const running = run(entry).finally(() => {
        under.delete(running);
        fill();
        changed();
      });
      under.add(running);
    }
  };
  const drop = (name: string, entry: Entry<S>): void => {
    entries.delete(name);
    entry.stop.abort(new Error("nobody asks for it any more"));
  };
  const look = (): void => {
    const now = clock.monotonic();
    for (const [name, entry] of entries) {
      const unaskedMs = now - entry.askedAt;
      if (unaskedMs > (entry.state === "resting" ? KEPT_MS : GIVEN_UP_AFTER_MS)) drop(name, entry);
    }
    if (under.size > 0) changed();
  };
  const looks = setInterval(look, LOOK_EVERY_MS);
  looks.unref();

  /** Whether there is a place for one more. */
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
      ...{ create, search: create(), state: "waiting", askedAt: now, restingSince: now, problem: null },
      stop: new AbortController(),
    };
    entries.set(name, entry);
    return entry;
  };
  const again = (entry: Entry<S>): void => {
    if (entry.state !== "resting" || clock.monotonic() - entry.restingSince < FRESH_MS) return;
    if (entry.problem !== null) entry.search = entry.create();
    entry.state = "waiting";
  };
  const told = (story: S, problem: string | null, notes: readonly string[]): S => ({
    ...story,
    notes: [...story.notes, ...notes],
    progress: { ...story.progress, problem: problem ?? story.progress.problem },
  });

  return {
    ask: (name, create) => {
      const entry = entries.get(name) ?? add(name, create);
      if (entry === null) return told(create().story(), TOO_MANY, []);
      entry.askedAt = clock.monotonic();
      again(entry);
      fill();
      const story = entry.search.story();
      const waits = entry.state === "waiting" && !story.progress.isComplete;
      return told(story, entry.problem, waits ? [WAITS] : []);
    },
    close: async () => {
      clearInterval(looks);
      for (const [name, entry] of entries) drop(name, entry);
      await Promise.allSettled(under);
    },
  };
};
