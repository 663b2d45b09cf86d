import type { Clock } from "../../runtime/clock.ts";
import { wakeOrAbort } from "../../runtime/wake-or-abort.ts";
import type { CallPermit } from "../types.ts";

type CallLimiterOptions = {
  maxOpen: number;
  /** Null for no limit. Calls are spread evenly over each second. */
  maxPerSecond: number | null;
  /** The part of the rate that belongs to this process. With 0 it starts one call a second at most. */
  share?: () => number;
  clock: Clock;
};

export type CallLimiter = {
  permit: () => CallPermit;
  /** Takes a turn of the rate limit that no other call waits for. Rejects when the signal aborts. */
  turnBehindOthers: (signal: AbortSignal) => Promise<void>;
};

/** Bounds the number of open calls and of calls per second. First come, first served. */
export const createCallLimiter = (options: CallLimiterOptions): CallLimiter => {
  const { maxOpen, maxPerSecond, share = () => 1, clock } = options;
  let open = 0;
  let nextTurn = 0;
  // A Set keeps the order of arrival, and deletes in constant time.
  const waiting = new Set<() => void>();

  const admit = (): void => {
    for (const enter of waiting) {
      if (open >= maxOpen) return;
      waiting.delete(enter);
      open++;
      enter();
    }
  };

  const callsPerSecond = (max: number): number => {
    const part = share();
    return part > 0 ? max * part : Math.min(max, 1);
  };

  const msUntilTurn = (): number => Math.max(0, nextTurn - clock.monotonic());

  /** Takes the next turn of the rate limit. Returns the milliseconds until then. */
  const takeTurn = (): number => {
    if (maxPerSecond === null) return 0;
    const ms = msUntilTurn();
    nextTurn = clock.monotonic() + ms + 1000 / callsPerSecond(maxPerSecond);
    return ms;
  };

  const permit = (): CallPermit => {
    let inside = false;
    let enter = (): void => undefined;
    return {
      tryAcquire: () => {
        inside = maxPerSecond === null && waiting.size === 0 && open < maxOpen;
        if (inside) open++;
        return inside;
      },
      acquire: async (signal) => {
        const entered = wakeOrAbort(signal, (wake) => {
          enter = () => {
            inside = true;
            wake();
          };
          waiting.add(enter);
          return () => waiting.delete(enter);
        });
        admit();
        await entered;
        const ms = takeTurn();
        if (ms > 0) await clock.sleep(ms, signal);
      },
      release: () => {
        waiting.delete(enter);
        if (inside) open--;
        inside = false;
        admit();
      },
    };
  };

  return {
    permit,
    turnBehindOthers: async (signal) => {
      signal.throwIfAborted();
      // A call that takes the turn meanwhile moves the next one.
      for (let ms = msUntilTurn(); ms > 0; ms = msUntilTurn()) await clock.sleep(ms, signal);
      takeTurn();
    },
  };
};
