import type { Clock } from "../../runtime/clock.ts";
import { createWaiters } from "./waiters.ts";

/**
 * What a call says of the partner: it answered; it is ill (no connection, no answer, 5xx); or nothing, because the
 * bridge itself ended the call.
 */
export type CallReport = "answer" | "ill" | "nothing";

/** Proves that an accept may start; `leave` takes it back. `isTrial`: it finds out whether the partner is well again. */
export type BreakerAdmission = { isTrial: boolean };

export type Breaker = ReturnType<typeof createBreaker>;

const LONGEST_PAUSE_MS = 600_000;

/**
 * A circuit breaker: pauses accepts after `failures` calls in a row that say that the partner is ill, so that this costs
 * a few doubts, not thousands. After the pause one accept is sent as a trial; the others follow once it is answered. Each
 * trial that fails doubles the pause, up to ten minutes.
 */
export const createBreaker = (options: {
  clock: Clock;
  failures: number;
  pauseMs: number;
  /** Called also when a trial has failed. `pauseMs`: until the next trial. */
  changed: (state: "open" | "closed", pauseMs: number) => void;
}) => {
  const { clock, failures, changed } = options;
  const waiters = createWaiters<"changed">();
  let consecutiveFailures = 0;
  let openedAt = 0;
  let pauseMs = options.pauseMs;
  let trial: BreakerAdmission | null = null;

  const isOpen = (): boolean => consecutiveFailures >= failures;

  return {
    /** Returns how long accepts stay paused, at most. `admission`: that of the accept, if it has started already. */
    pauseLeftMs: (admission: BreakerAdmission | null): number => {
      if (!isOpen() || (trial !== null && trial === admission)) return 0;
      return trial === null ? Math.max(openedAt + pauseMs - clock.monotonic(), 0) : pauseMs;
    },
    /** Called when no pause is left. `leave` must be called once with the admission, whatever happens. */
    enter: (): BreakerAdmission => {
      const admission = { isTrial: isOpen() };
      if (admission.isTrial) trial = admission;
      return admission;
    },
    leave: (admission: BreakerAdmission, report: CallReport): void => {
      const wasOpen = isOpen();
      if (trial === admission) trial = null;
      if (report === "ill") {
        consecutiveFailures += 1;
        openedAt = clock.monotonic();
        if (admission.isTrial) pauseMs = Math.min(2 * pauseMs, Math.max(LONGEST_PAUSE_MS, options.pauseMs));
      }
      // An answer to a call from before the pause does not close the breaker.
      if (report === "answer" && (!wasOpen || admission.isTrial)) {
        consecutiveFailures = 0;
        pauseMs = options.pauseMs;
      }
      const hasFailed = admission.isTrial && report === "ill";
      if (wasOpen !== isOpen() || hasFailed) changed(isOpen() ? "open" : "closed", pauseMs);
      // Thousands may wait. An answer that changes nothing for them wakes none; a longer pause they find at their time.
      if (admission.isTrial || wasOpen !== isOpen()) waiters.wake("changed");
    },
    changed: (signal: AbortSignal): Promise<void> => waiters.wait("changed", signal),
  };
};
