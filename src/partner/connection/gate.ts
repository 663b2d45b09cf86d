import type { Clock } from "../../runtime/clock.ts";
import type { Pass } from "../types.ts";

type GateOptions = {
  maxOpen: number;
  /** Null for no limit. Calls are spread evenly over a second. */
  maxPerSecond: number | null;
  clock: Clock;
};

/** How often a call in the background looks whether nobody is in its way. */
const LOOK_EVERY_MS = 100;
/** So long no other one begins after one was cut off: each of them takes a turn that commands may want. */
const PAUSE_MS = 5_000;

/** A call in the background was cut off: a command needed its place. */
export class GaveWayError extends Error {
  override readonly name = "GaveWayError";
  constructor() {
    super("a command needed the connection");
  }
}

export type Gate = {
  pass: () => Pass;
  /**
   * Resolves when a call in the background may begin: nobody waits, and a place and a turn are free. It holds its place until `call` aborts, and
   * is aborted with a {@link GaveWayError} in the step in which somebody else needs the place. Rejects when `call` aborts before.
   */
  background: (call: AbortController) => Promise<void>;
};

/**
 * Bounds how many calls are open at a time, and how many begin in a second. First come, first served; calls in the background come
 * last.
 */
export const gateFor = ({ maxOpen, maxPerSecond, clock }: GateOptions): Gate => {
  let open = 0;
  let nextTurn = 0;
  let backgroundFrom = 0;
  /** The calls in the background that hold a place. */
  const background = new Set<AbortController>();
  // Insertion order is the order of arrival, and whoever leaves is taken out at once.
  const waiting = new Set<() => void>();

  /** Whether there is a place. If need be, one is taken from a call in the background, which is over when this returns. */
  const hasPlace = (): boolean => {
    const [call] = background;
    if (open < maxOpen || !call) return open < maxOpen;
    background.delete(call);
    open--;
    backgroundFrom = clock.monotonic() + PAUSE_MS;
    call.abort(new GaveWayError());
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

  /** Takes the next turn. How long it is until then. */
  const takeTurn = (): number => {
    if (maxPerSecond === null) return 0;
    const now = clock.monotonic();
    const at = Math.max(now, nextTurn);
    nextTurn = at + 1000 / maxPerSecond;
    return at - now;
  };

  const pass = (): Pass => {
    let inside = false;
    let enter = (): void => undefined;
    return {
      enter: () => {
        inside = maxPerSecond === null && waiting.size === 0 && hasPlace();
        if (inside) open++;
        return inside;
      },
      wait: async (signal) => {
        const place = new Promise<void>((resolve) => {
          enter = () => {
            inside = true;
            resolve();
          };
        });
        waiting.add(enter);
        admit();
        await orAborted(place, signal);
        const ms = takeTurn();
        if (ms > 0) await clock.sleep(ms, signal);
      },
      leave: () => {
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
    pass,
    background: async (call) => {
      const { signal } = call;
      signal.throwIfAborted();
      while (!isQuiet()) await clock.sleep(LOOK_EVERY_MS, signal);
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

const orAborted = (place: Promise<void>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = (): void => reject(new Error("no connection was free in time"));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    void place.then(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    });
  });
