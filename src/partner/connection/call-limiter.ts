import { wakeOrAbort } from "../../runtime/abort.ts";
import type { Backlog, CallPermit, PartnerOptions } from "../types.ts";

/** A turn that somebody waited for may be taken so much late without shifting the later ones. */
const LATE_MS = 100;

export type CallLimiter = ReturnType<typeof createCallLimiter>;

type LimiterOptions = Pick<PartnerOptions, "maxConnections" | "maxRequestsPerSecond" | "clock">;

/** Bounds the open calls, and spreads calls evenly over each second. First come, first served. */
export const createCallLimiter = ({ maxConnections, maxRequestsPerSecond, clock }: LimiterOptions) => {
  let share = (): number => 0;
  let openCalls = 0;
  let nextTurn = 0;
  /** Those who wait, in the order of arrival: a Set keeps it, and deletes in constant time. */
  const waiting = new Set<{ wake: () => void }>();
  let waitingSinceMs = 0;
  let hasTimer = false;

  /** The time between two calls; 0 without a limit. */
  const intervalMs = (): number => {
    if (maxRequestsPerSecond === undefined) return 0;
    const part = share();
    return 1000 / (part > 0 ? maxRequestsPerSecond * part : Math.min(maxRequestsPerSecond, 1));
  };
  const msUntilTurn = (): number => Math.max(0, nextTurn - clock.monotonic());

  /** @param hasWaited whether somebody waited for the turn: then it counts from when it came */
  const takeTurn = (hasWaited: boolean): void => {
    const interval = intervalMs();
    const earliest = clock.monotonic() - (hasWaited ? Math.min(interval, LATE_MS) : 0);
    nextTurn = Math.max(nextTurn, earliest) + interval;
  };

  const wakeFirst = (): void => {
    const [first] = waiting;
    if (!first || openCalls >= maxConnections) return;
    const ms = msUntilTurn();
    if (ms === 0) first.wake();
    else if (!hasTimer) {
      hasTimer = true;
      void clock.sleep(ms).then(() => {
        hasTimer = false;
        wakeFirst();
      });
    }
  };

  const permit = (): CallPermit => {
    let isHeld = false;
    const place = { wake: (): void => undefined };
    return {
      isFree: () => {
        const [first = place] = waiting;
        return first === place && openCalls < maxConnections && msUntilTurn() === 0;
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
    /** Says which part of the rate belongs to this process. Until then, and with 0, it starts one call a second at most. */
    shareRate: (nextShare: () => number): void => void (share = nextShare),
    /** The calls that wait because the rate is used up; null while none does. */
    backlog: (): Backlog | null => {
      // Calls wait for a place, and not for the rate, while all places are taken.
      if (intervalMs() === 0 || waiting.size === 0 || openCalls >= maxConnections) return null;
      const leftMs = msUntilTurn() + (waiting.size - 1) * intervalMs();
      return { sinceMs: waitingSinceMs, untilMs: clock.now() + leftMs };
    },
    /** Takes a turn of the rate limit that no other call waits for. Rejects when the signal aborts. */
    turnBehindOthers: async (signal: AbortSignal): Promise<void> => {
      signal.throwIfAborted();
      // A call that takes the turn meanwhile moves the next one.
      while (intervalMs() > 0 && (waiting.size > 0 || msUntilTurn() > 0))
        await clock.sleep(Math.max(msUntilTurn(), intervalMs()), signal);
      takeTurn(false);
    },
  };
};
