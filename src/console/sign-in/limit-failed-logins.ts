import { createHash } from "node:crypto";
import type { Clock } from "../../runtime/clock.ts";
import { keepNewest } from "../../runtime/keep-newest.ts";

/** Failed tries of one name from one address. */
const MAX_FAILED = 10;
/** Failed tries of all names from one address. */
const MAX_OF_ADDRESS = 50;
/**
 * The same bound for a name without a failed try of its own: higher, but finite, because each check blocks
 * the thread.
 */
const MAX_WITH_FIRST_TRIES = 100;
const WINDOW_MS = 60_000;
/** How long a name that was right at an address is exempt from the address's bound. */
const RIGHT_MS = 12 * 3_600_000;
/** Beyond it the oldest entries are dropped. */
const MAX_KEPT = 10_000;

/** Counts by key, in a window that begins with the first count. */
const counts = (clock: Pick<Clock, "monotonic">) => {
  const known = new Map<string, { count: number; untilMs: number }>();
  const of = (key: string): { count: number; untilMs: number } => {
    const one = known.get(key);
    const nowMs = clock.monotonic();
    return one && one.untilMs > nowMs ? one : { count: 0, untilMs: nowMs + WINDOW_MS };
  };
  return {
    of,
    add: (key: string): void => {
      const { count, untilMs } = of(key);
      keepNewest(known, key, { count: count + 1, untilMs }, MAX_KEPT);
    },
    takeBack: (key: string): void => {
      const one = known.get(key);
      if (one && --one.count === 0) known.delete(key);
    },
  };
};

/** Hashed, because a name may be as long as a header. */
const pairOf = (address: string, name: string): string =>
  createHash("sha256").update(`${address}\n${name}`).digest("base64");

/**
 * Bounds the failed tries per name and address, and per address. A try counts as failed until `wasRight` is
 * called, so that many tries at once cannot slip through.
 */
export const limitFailedLogins = (clock: Pick<Clock, "monotonic">) => {
  const ofPair = counts(clock);
  const ofAddress = counts(clock);
  const rightUntilMs = new Map<string, number>();

  const isKnown = (pair: string): boolean => (rightUntilMs.get(pair) ?? 0) > clock.monotonic();
  const mostOf = (pair: string): number =>
    isKnown(pair) ? Infinity : ofPair.of(pair).count > 0 ? MAX_OF_ADDRESS : MAX_WITH_FIRST_TRIES;

  const takeBack = (address: string, name: string): void => {
    ofPair.takeBack(pairOf(address, name));
    ofAddress.takeBack(address);
  };

  return {
    /**
     * Counts a try. Returns the milliseconds to wait before the next one, or 0 when this one may be checked.
     */
    begin: (address: string, name: string): number => {
      const pair = pairOf(address, name);
      const own = ofPair.of(pair);
      const all = ofAddress.of(address);
      if (own.count >= MAX_FAILED) return own.untilMs - clock.monotonic();
      if (all.count >= mostOf(pair)) return all.untilMs - clock.monotonic();
      ofPair.add(pair);
      ofAddress.add(address);
      return 0;
    },
    /** For a try that was not checked after all. */
    takeBack,
    wasRightLately: (address: string, name: string): boolean => isKnown(pairOf(address, name)),
    wasRight: (address: string, name: string): void => {
      takeBack(address, name);
      keepNewest(rightUntilMs, pairOf(address, name), clock.monotonic() + RIGHT_MS, MAX_KEPT);
    },
  };
};
