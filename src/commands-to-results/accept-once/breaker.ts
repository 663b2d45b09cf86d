import type { Clock } from "../../runtime/clock.ts";

/** What a call says of the partner: ill by no connection, no answer or 5xx; nothing if the bridge itself ended it. */
export type CallReport = "answer" | "ill" | "nothing";

/** Proves that an accept may start; `leave` takes it back. `isTrial`: it finds out whether the partner is well again. */
export type BreakerAdmission = { isTrial: boolean };

export type Breaker = ReturnType<typeof createBreaker>;

const LONGEST_PAUSE_MS = 600_000;
/** How often the others look whether a trial has ended. */
const TRIAL_POLL_MS = 2_000;

/**
 * Pauses accepts after `failures` calls in a row that say that the partner is ill: a few doubts, not thousands. Then
 * one accept is sent as a trial. Each trial that fails doubles the pause, up to ten minutes.
 */
export const createBreaker = (options: {
  clock: Clock;
  failures: number;
  pauseMs: number;
  changed: (state: "open" | "closed", pauseMs: number) => void;
}) => {
  const { clock, failures, changed } = options;
  let consecutiveFailures = 0;
  let openedAt = 0;
  let pauseMs = options.pauseMs;
  let trial: BreakerAdmission | null = null;

  const isOpen = (): boolean => consecutiveFailures >= failures;

  return {
    /** Returns when an accept may look again; 0 if it may start. `admission`: its own, if it has started already. */
    pauseLeftMs: (admission: BreakerAdmission | null): number => {
      if (!isOpen() || (trial !== null && trial === admission)) return 0;
      if (trial !== null) return Math.min(pauseMs, TRIAL_POLL_MS);
      return Math.max(openedAt + pauseMs - clock.monotonic(), 0);
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
    },
  };
};
