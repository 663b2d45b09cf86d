import type { Clock } from "../../runtime/clock.ts";
import { wakeOrAbort } from "../../runtime/wake-or-abort.ts";
import type { Backlog, CallPermit } from "../types.ts";

type CallLimiterOptions = {
  maxOpen: number;
  /** Calls are spread evenly over each second. There is no limit if this is null. */
  maxPerSecond: number | null;
  /** The part of the rate that belongs to this process. With 0 it starts one call a second at most. */
  share?: () => number;
  clock: Clock;
};

/** A turn that somebody waited for may be taken so much late without shifting the later ones. */
const LATE_MS = 100;

export type CallLimiter = {
  permit: () => CallPermit;
  /** Takes a turn of the rate limit that no other call waits for. Rejects when the signal aborts. */
  turnBehindOthers: (signal: AbortSignal) => Promise<void>;
  /** The calls that wait because the rate is used up; null while none does. */
  backlog: () => Backlog | null;
};

/** Bounds the number of open calls and of calls per second. First come, first served. */
export const createCallLimiter = (options: CallLimiterOptions): CallLimiter => {
  const { maxOpen, maxPerSecond, share = () => 1, clock } = options;
  let openCalls = 0;
  let nextTurn = 0;
  /** Those who wait, in the order of arrival: a Set keeps it, and deletes in constant time. */
  const waiting = new Set<{ wake: () => void }>();
  let waitingSinceMs = 0;
  let hasTimer = false;

  const callsPerSecond = (max: number): number => {
    const part = share();
    return part > 0 ? max * part : Math.min(max, 1);
  };

  const msUntilTurn = (): number => nextTurn - clock.monotonic();

  /** @param hasWaited whether somebody waited for the turn: then it counts from when it came */
  const takeTurn = (hasWaited: boolean): void => {
    if (maxPerSecond === null) return;
    const interval = 1000 / callsPerSecond(maxPerSecond);
    const nowMs = clock.monotonic();
    nextTurn = Math.max(nextTurn, hasWaited ? nowMs - Math.min(interval, LATE_MS) : nowMs) + interval;
  };

  /** Wakes the first of those who wait, as soon as a place and a turn are free. */
  const wakeFirst = (): void => {
    const [first] = waiting;
    if (!first || openCalls >= maxOpen) return;
    const ms = msUntilTurn();
    if (ms <= 0) {
      first.wake();
      return;
    }
    if (hasTimer) return;
    hasTimer = true;
    void clock.sleep(ms).then(() => {
      hasTimer = false;
      wakeFirst();
    });
  };

  const permit = (): CallPermit => {
    let isHeld = false;
    const place = { wake: (): void => undefined };
    return {
      isFree: () => {
        const [first = place] = waiting;
        return first === place && openCalls < maxOpen && msUntilTurn() <= 0;
      },
      take: () => {
        isHeld = true;
        openCalls++;
        takeTurn(waiting.delete(place));
        wakeFirst();
      },
      untilFree: (signal) => {
        const called = wakeOrAbort(signal, (wake) => {
          place.wake = wake;
          if (waiting.size === 0) waitingSinceMs = clock.now();
          waiting.add(place);
          return () => undefined;
        });
        wakeFirst();
        return called;
      },
      release: () => {
        if (isHeld) openCalls--;
        else if (!waiting.delete(place)) return;
        isHeld = false;
        wakeFirst();
      },
    };
  };

  return {
    permit,
    backlog: () => {
      // Calls wait for a place, and not for the rate, while all places are taken.
      if (maxPerSecond === null || waiting.size === 0 || openCalls >= maxOpen) return null;
      const leftMs = Math.max(msUntilTurn(), 0) + ((waiting.size - 1) * 1000) / callsPerSecond(maxPerSecond);
      return { sinceMs: waitingSinceMs, untilMs: clock.now() + leftMs };
    },
    turnBehindOthers: async (signal) => {
      signal.throwIfAborted();
      // A call that takes the turn meanwhile moves the next one.
      while (maxPerSecond !== null && (waiting.size > 0 || msUntilTurn() > 0))
        await clock.sleep(Math.max(msUntilTurn(), 1000 / callsPerSecond(maxPerSecond)), signal);
      takeTurn(false);
    },
  };
};
