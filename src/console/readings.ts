import type { Progress } from "../operate/connections.ts";
import type { Clock } from "../runtime/clock.ts";

/** What a request asked for. A long one goes on, and the page loads itself again until it is there. */
export type Reading<T> =
  | { kind: "read"; value: T; atMs: number }
  | { kind: "failed"; error: unknown }
  /** `soFar`: what is known of it by now. `before`: what was read the last time. */
  | {
      kind: "reading";
      progress: Progress | null;
      soFar: T | null;
      before: { value: T; atMs: number } | null;
    };

export type Report<T> = (progress: Progress, soFar?: () => T) => void;
type Start<T> = (report: Report<T>, signal: AbortSignal) => Promise<T>;

type Open<T> = {
  ended: Promise<void>;
  end: { kind: "read"; value: T; atMs: number } | { kind: "failed"; error: unknown } | null;
  endedAtMs: number;
  isSeen: boolean;
  seenAtMs: number;
  progress: Progress | null;
  soFar: (() => T) | null;
  before: { value: T; atMs: number } | null;
  stop: AbortController;
};

/** With what else a page does, less than two seconds. */
const WAIT_MS = 1_500;
/** Nobody waits for it any more. */
const IDLE_MS = 20_000;
const LOOK_EVERY_MS = 5_000;
/** An outage is not asked about with each request. */
const FAILED_MS = 2_000;

/**
 * Readings of one kind, each by its key. One that is under way is shared, and stops when nobody has asked for it
 * for a while. @param keepMs for how long the value may be shown again
 */
export const readingsOf = <T>(clock: Clock, keepMs = 0) => {
  const open = new Map<string, Open<T>>();

  const forgetWhenIdle = async (key: string, one: Open<T>): Promise<void> => {
    const mostMs = Math.max(IDLE_MS, keepMs);
    while (clock.monotonic() - one.seenAtMs < mostMs && open.get(key) === one)
      await clock.sleep(LOOK_EVERY_MS, one.stop.signal);
    if (open.get(key) === one) open.delete(key);
    one.stop.abort();
  };

  const begin = (key: string, start: Start<T>, last: Open<T> | undefined): Open<T> => {
    const stop = new AbortController();
    const one: Open<T> = {
      ended: Promise.resolve(),
      end: null,
      endedAtMs: 0,
      isSeen: false,
      seenAtMs: clock.monotonic(),
      progress: null,
      soFar: null,
      before: last?.end?.kind === "read" ? last.end : null,
      stop,
    };
    const report: Report<T> = (progress, soFar) => {
      one.progress = { ...progress };
      one.soFar = soFar ?? null;
    };
    const finish = (end: NonNullable<Open<T>["end"]>): void => {
      one.end = end;
      one.endedAtMs = clock.monotonic();
    };
    one.ended = start(report, stop.signal).then(
      (value) => finish({ kind: "read", value, atMs: clock.now() }),
      (error: unknown) => finish({ kind: "failed", error }),
    );
    open.set(key, one);
    forgetWhenIdle(key, one).catch(() => undefined);
    return one;
  };

  /** Whether its end may be shown: to whom waited for it, and for a while to others. */
  const isFresh = ({ end, endedAtMs, isSeen }: Open<T>): boolean => {
    if (end === null || !isSeen) return true;
    return clock.monotonic() - endedAtMs < (end.kind === "failed" ? FAILED_MS : keepMs);
  };

  return {
    get: async (key: string, start: Start<T>): Promise<Reading<T>> => {
      const last = open.get(key);
      const one = last && isFresh(last) ? last : begin(key, start, last);
      if (one !== last) last?.stop.abort();
      one.seenAtMs = clock.monotonic();
      await clock.within(WAIT_MS, undefined, one.ended).catch(() => undefined);
      if (one.end === null)
        return { kind: "reading", progress: one.progress, soFar: one.soFar?.() ?? null, before: one.before };
      one.isSeen = true;
      return one.end;
    },
    close: (): void => {
      for (const { stop } of open.values()) stop.abort();
      open.clear();
    },
  };
};

export type Readings<T> = ReturnType<typeof readingsOf<T>>;
