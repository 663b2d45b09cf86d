import { backoffMs } from "../../runtime/backoff.ts";
import type { Clock } from "../../runtime/clock.ts";
import { disconnected, type Health } from "../../runtime/health.ts";
import type { LeaderLookup } from "./session.ts";

type Deps = {
  openLookup: () => Promise<LeaderLookup>;
  clock: Clock;
  random: () => number;
  closed: AbortSignal;
  /** How long the leaders that were found hold, unless `lookUp` is called. */
  refreshMs: () => number;
  follow: (leaders: readonly (number | null)[]) => void;
};

const BACKOFF = { baseMs: 100, maxMs: 1_000 };

/** Looks up the leaders of a topic's partitions until it is closed, and knows whether Kafka answers. */
export const watchLeaders = ({ openLookup, clock, random, closed, refreshMs, follow }: Deps) => {
  let lookup: LeaderLookup | null = null;
  let fault: Health | null = { kind: "starting" };
  let askedAt = 0;
  let wake = new AbortController();

  const askForEver = async (): Promise<void> => {
    for (let failures = 0; !closed.aborted;) {
      wake = new AbortController();
      const wasOpen = lookup !== null;
      try {
        lookup ??= await openLookup();
        follow(await lookup.leaders());
        fault = null;
        failures = 0;
      } catch (error) {
        // An open connection may lead to a broker that has died: a new one is tried before anything is said.
        if (!wasOpen) fault = disconnected(error, fault, clock);
        void lookup?.close();
        lookup = null;
        failures += 1;
      }
      askedAt = clock.monotonic();
      const waitMs = failures > 0 ? backoffMs(BACKOFF, failures - 1, random()) : refreshMs();
      await clock.sleep(waitMs, wake.signal).catch(() => undefined);
    }
  };
  const asking = askForEver();

  return {
    /** It is null while Kafka answers. */
    fault: (): Health | null => fault,
    /** Says that a broker has answered. */
    confirm: (): void => void (fault = null),
    /** Looks up the leaders now, unless that was done within the last `everyMs`. */
    lookUp: (everyMs: number): void => {
      if (clock.monotonic() - askedAt > everyMs) wake.abort();
    },
    /** Must be called after `closed` has aborted. */
    close: async (): Promise<void> => {
      wake.abort();
      await asking;
      await lookup?.close();
    },
  };
};
