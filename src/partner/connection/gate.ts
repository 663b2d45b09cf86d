import type { Clock } from "../../runtime/clock.ts";
import type { Pass } from "../types.ts";

type GateOptions = {
  maxOpen: number;
  /** Null for no limit. Calls are spread evenly over a second. */
  maxPerSecond: number | null;
  clock: Clock;
};

/** Bounds how many calls are open at a time, and how many begin in a second. First come, first served. */
export const gateFor = ({ maxOpen, maxPerSecond, clock }: GateOptions): (() => Pass) => {
  let open = 0;
  let nextTurn = 0;
  // Insertion order is the order of arrival, and whoever leaves is taken out at once.
  const waiting = new Set<() => void>();

  const admit = (): void => {
    for (const enter of waiting) {
      if (open >= maxOpen) return;
      waiting.delete(enter);
      open++;
      enter();
    }
  };

  const turn = async (signal: AbortSignal): Promise<void> => {
    if (maxPerSecond === null) return;
    const now = clock.monotonic();
    const at = Math.max(now, nextTurn);
    nextTurn = at + 1000 / maxPerSecond;
    if (at > now) await clock.sleep(at - now, signal);
  };

  return () => {
    let inside = false;
    let enter = (): void => undefined;
    return {
      enter: () => {
        inside = maxPerSecond === null && waiting.size === 0 && open < maxOpen;
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
        await turn(signal);
      },
      leave: () => {
        waiting.delete(enter);
        if (inside) open--;
        inside = false;
        admit();
      },
    };
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
