import type { Clock } from "../../runtime/clock.ts";
import { wakeOrAbort } from "../../runtime/wake-or-abort.ts";
import type { CallPermit } from "../types.ts";

type CallLimiterOptions = {
  maxOpen: number;
  /** Null for no limit. Calls are spread evenly over each second. */
  maxPerSecond: number | null;
  clock: Clock;
};

/** How often a background call checks whether it may begin. */
const CHECK_EVERY_MS = 100;
/**
 * After a preemption no background call begins for this long: each takes a turn of the rate limit that
 * commands may need.
 */
const PAUSE_MS = 5_000;

/** A background call was cut off, because a command needed its connection. */
export class PreemptedError extends Error {
  override readonly name = "PreemptedError";
  constructor() {
    super("a command needed the connection");
  }
}

export type CallLimiter = {
  permit: () => CallPermit;
  /**
   * Resolves when a background call may begin: no other call waits, and a place and a turn are free. It holds
   * the place until `call` aborts, and is aborted with a {@link PreemptedError} as soon as another call needs
   * it. Rejects if `call` aborts before it began.
   */
  background: (call: AbortController) => Promise<void>;
};

/**
 * Bounds the number of open calls and of calls per second. First come, first served; background calls come
 * last.
 */
export const createCallLimiter = ({ maxOpen, maxPerSecond, clock }: CallLimiterOptions): CallLimiter => {
  let open = 0;
  let nextTurn = 0;
  let backgroundFrom = 0;
  /** Background calls that hold a place. */
  const background = new Set<AbortController>();
  // A Set keeps the order of arrival, and deletes in constant time.
  const waiting = new Set<() => void>();

  /**
   * Whether there is a place. If necessary it preempts a background call, which is over when this returns.
   */
  const hasPlace = (): boolean => {
    const [call] = background;
    if (open < maxOpen || !call) return open < maxOpen;
    background.delete(call);
    open--;
    backgroundFrom = clock.monotonic() + PAUSE_MS;
    call.abort(new PreemptedError());
    return true;
  };

  const admit = (): void => {
    for (const enter of waiting) {
      if (!hasPlace()) return;
      waiting.delete(enter);
      open++;
      enter();
    }
  };

  /** Takes the next turn of the rate limit. Returns the milliseconds until then. */
  const takeTurn = (): number => {
    if (maxPerSecond === null) return 0;
    const now = clock.monotonic();
    const at = Math.max(now, nextTurn);
    nextTurn = at + 1000 / maxPerSecond;
    return at - now;
  };

  const permit = (): CallPermit => {
    let inside = false;
    let enter = (): void => undefined;
    return {
      tryAcquire: () => {
        inside = maxPerSecond === null && waiting.size === 0 && hasPlace();
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

  const isQuiet = (): boolean =>
    waiting.size === 0 && open < maxOpen && clock.monotonic() >= Math.max(nextTurn, backgroundFrom);

  return {
    permit,
    background: async (call) => {
      const { signal } = call;
      signal.throwIfAborted();
      while (!isQuiet()) await clock.sleep(CHECK_EVERY_MS, signal);
      open++;
      takeTurn();
      background.add(call);
      const leave = (): void => {
        if (!background.delete(call)) return;
        open--;
        admit();
      };
      signal.addEventListener("abort", leave, { once: true });
    },
  };
};
