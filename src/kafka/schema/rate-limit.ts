import type { Clock } from "../../runtime/clock.ts";

/** Concurrent calls with the same key share one. */
export const shared = <K, T>(ask: (key: K) => Promise<T>): ((key: K) => Promise<T>) => {
  const underWay = new Map<K, Promise<T>>();
  return (key) => {
    const same = underWay.get(key);
    if (same) return same;
    const asked = ask(key).finally(() => underWay.delete(key));
    underWay.set(key, asked);
    return asked;
  };
};

/** Limits calls to `perSecond`; the others wait for their turn, in order. */
export const rateLimited = <K, T>(
  ask: (key: K) => Promise<T>,
  { perSecond, clock }: { perSecond: number; clock: Pick<Clock, "monotonic" | "sleep"> },
): ((key: K) => Promise<T>) => {
  const gapMs = 1_000 / perSecond;
  /** When the next call may start. A burst may use up what was unused in the last second. */
  let turnAt = Number.NEGATIVE_INFINITY;
  return async (key) => {
    const now = clock.monotonic();
    turnAt = Math.max(turnAt + gapMs, now - 1_000);
    if (turnAt > now) await clock.sleep(turnAt - now);
    return ask(key);
  };
};
