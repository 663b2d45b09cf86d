import type { Progress } from "../operate/connections.ts";
import type { Clock } from "../runtime/clock.ts";

type End<T> = { kind: "read"; value: T; atMs: number } | { kind: "failed"; error: unknown };

/**
 * What a request asked for. `soFar`: what is known of it while it is being read; `before`: what was read the last time.
 */
export type Reading<T> =
  End<T> | { kind: "reading"; progress: Progress | null; soFar: T | null; before: T | null };

/** How far it is, and what is known by now: of the type that is being read. */
export type Report = (progress: Progress, soFar?: () => unknown) => void;
type Start<T> = (report: Report, signal: AbortSignal) => Promise<T>;

type Open<T> = {
  ended: Promise<void>;
  end: End<T> | null;
  endedAtMs: number;
  isSeen: boolean;
  seenAtMs: number;
  progress: Progress | null;
  soFar: (() => unknown) | null;
  before: T | null;
  stop: AbortController;
};

/** With what else a page does, less than two seconds. */
const WAIT_MS = 1_500;
/** After this long nobody waits for it any more. */
const IDLE_MS = 60_000;
const LOOK_EVERY_MS = 5_000;
/** An outage is not asked about with each request. */
const FAILED_MS = 2_000;

/**
 * Readings that requests asked for, by what they read: a key always has a value of one type. One that is under way is
 * shared; it goes on while somebody asks for it now and then, and stops when nobody does.
 */
export const createReadings = (clock: Clock) => {
  const open = new Map<string, Open<unknown>>();

  const forgetWhenIdle = async (key: string, one: Open<unknown>): Promise<void> => {
    while (clock.monotonic() - one.seenAtMs < IDLE_MS && open.get(key) === one)
      await clock.sleep(LOOK_EVERY_MS, one.stop.signal);
    if (open.get(key) === one) open.delete(key);
    one.stop.abort();
  };

  const begin = <T>(key: string, start: Start<T>, last: Open<T> | undefined): Open<T> => {
    const seenAtMs = clock.monotonic();
    const before = last?.end?.kind === "read" ? last.end.value : null;
    const none = {
      ended: Promise.resolve(),
      end: null,
      endedAtMs: 0,
      isSeen: false,
      progress: null,
      soFar: null,
    };
    const one: Open<T> = { ...none, seenAtMs, before, stop: new AbortController() };
    const finish = (end: End<T>): void => void Object.assign(one, { end, endedAtMs: clock.monotonic() });
    const report: Report = (progress, soFar) => {
      one.progress = { ...progress };
      one.soFar = soFar ?? null;
    };
    one.ended = start(report, one.stop.signal).then(
      (value) => finish({ kind: "read", value, atMs: clock.now() }),
      (error: unknown) => finish({ kind: "failed", error }),
    );
    open.set(key, one);
    forgetWhenIdle(key, one).catch(() => undefined);
    return one;
  };

  return {
    /** Waits for a moment. @param keepMs for how long the value may be shown again */
    read: async <T>(key: string, start: Start<T>, keepMs = 0): Promise<Reading<T>> => {
      const last = open.get(key) as Open<T> | undefined;
      const freshMs = last?.end?.kind === "failed" ? FAILED_MS : keepMs;
      const isFresh = last && (!last.end || !last.isSeen || clock.monotonic() - last.endedAtMs < freshMs);
      const one = isFresh ? last : begin(key, start, last);
      one.seenAtMs = clock.monotonic();
      await clock.within(WAIT_MS, undefined, one.ended).catch(() => undefined);
      if (one.end === null)
        return {
          kind: "reading",
          progress: one.progress,
          soFar: (one.soFar?.() ?? null) as T | null,
          before: one.before,
        };
      one.isSeen = true;
      return one.end;
    },
    close: (): void => {
      for (const { stop } of open.values()) stop.abort();
      open.clear();
    },
  };
};
