import type { Clock } from "../../runtime/clock.ts";
import { DeadlineError } from "../../runtime/clock.ts";
import { createWaiters } from "./until.ts";

/** What a call tells of the partner: it answered, it left the bridge in doubt, or nothing (the call did not leave). */
export type CallReport = "answer" | "doubt" | "nothing";

export type Breaker = {
  /** Lets an accept start, or not: null. Whoever got in calls `leave` once, whatever happens. */
  enter(): { leave: (report: CallReport) => void } | null;
  /** Waits until it is worth asking again, at most `maxMs`. */
  wait(maxMs: number, signal: AbortSignal): Promise<void>;
};

/**
 * Pauses accepts after so many doubts in a row: a partner in trouble costs a few doubts, not thousands. After the pause one accept goes
 * ahead, and the others follow when it was answered.
 */
export const createBreaker = (options: {
  clock: Clock;
  failures: number;
  pauseMs: number;
  changed: (state: "open" | "closed") => void;
}): Breaker => {
  const { clock, failures, pauseMs, changed } = options;
  const waiters = createWaiters<"changed">();
  let doubts = 0;
  let openedAt = 0;
  let probing = false;

  const isOpen = (): boolean => doubts >= failures;
  const pauseLeftMs = (): number => openedAt + pauseMs - clock.monotonic();

  const leave = (report: CallReport, isProbe: boolean): void => {
    const wasOpen = isOpen();
    if (isProbe) probing = false;
    if (report === "doubt") {
      doubts += 1;
      openedAt = clock.monotonic();
    }
    // An answer to a call from before the pause says nothing about now.
    if (report === "answer" && (!wasOpen || isProbe)) doubts = 0;
    if (wasOpen !== isOpen()) changed(wasOpen ? "closed" : "open");
    waiters.wake("changed");
  };

  return {
    enter: () => {
      if (isOpen() && (probing || pauseLeftMs() > 0)) return null;
      const isProbe = isOpen();
      probing = isProbe;
      return { leave: (report) => leave(report, isProbe) };
    },

    wait: async (maxMs, signal) => {
      const leftMs = Math.min(maxMs, probing ? pauseMs : Math.max(pauseLeftMs(), 1));
      try {
        await clock.withDeadline(leftMs, signal, (inner) => waiters.wait("changed", inner));
      } catch (error) {
        if (!(error instanceof DeadlineError)) throw error;
      }
    },
  };
};
