import { createHash } from "node:crypto";
import type { Clock } from "../../runtime/clock.ts";

/** Of one name from one address. */
const MAX_FAILED = 10;
/** Of all names from one address. */
const MAX_OF_ADDRESS = 50;
/** A name that was not wrong itself may be tried for longer, but not without end: each check costs the pages their thread. */
const MAX_WITH_FIRST_TRIES = 100;
const WINDOW_MS = 60_000;
/** For so long what others do at its address does not matter to a name that was right there. */
const RIGHT_MS = 12 * 3_600_000;
/** Beyond so many the oldest are forgotten. */
const MAX_KEPT = 10_000;

const keep = <T>(map: Map<string, T>, key: string, value: T): void => {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_KEPT && oldest !== undefined) map.delete(oldest);
};

/** Counts by key, within a window that begins with the first. */
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
      keep(known, key, { count: count + 1, untilMs });
    },
    takeBack: (key: string): void => {
      const one = known.get(key);
      if (one && --one.count === 0) known.delete(key);
    },
  };
};

/** A name may be as long as a header. */
const pairOf = (address: string, name: string): string =>
  createHash("sha256").update(`${address}\n${name}`).digest("base64");

/**
 * Bounds how often a name may be wrong from an address, and how often an address may be. A try counts as failed until it was right, so that many at
 * once cannot slip through.
 */
export const limitTries = (clock: Pick<Clock, "monotonic">) => {
  const ofPair = counts(clock);
  const ofAddress = counts(clock);
  const rightUntilMs = new Map<string, number>();

  const mostOf = (pair: string): number =>
    (rightUntilMs.get(pair) ?? 0) > clock.monotonic()
      ? Infinity
      : ofPair.of(pair).count > 0
        ? MAX_OF_ADDRESS
        : MAX_WITH_FIRST_TRIES;

  const takeBack = (address: string, name: string): void => {
    ofPair.takeBack(pairOf(address, name));
    ofAddress.takeBack(address);
  };

  return {
    /** Counts a try; says for how long there may be none, 0 for this one may be. */
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
    /** It was not checked, so it was not wrong. */
    takeBack,
    wasRight: (address: string, name: string): void => {
      takeBack(address, name);
      keep(rightUntilMs, pairOf(address, name), clock.monotonic() + RIGHT_MS);
    },
  };
};
