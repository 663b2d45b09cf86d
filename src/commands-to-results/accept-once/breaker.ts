import type { Clock } from "../../runtime/clock.ts";
import { createWaiters } from "./waiters.ts";

/** What a call says about the partner: it answered, its outcome is unknown, or nothing: it was not sent. */
export type CallReport = "answer" | "doubt" | "nothing";

export type Breaker = ReturnType<typeof createBreaker>;

/**
 * A circuit breaker: pauses accepts after `failures` doubts in a row, so that a partner in trouble costs a
 * few doubts, not thousands. After the pause one accept is sent as a probe; the others follow once it is
 * answered.
 */
export const createBreaker = (options: {
  clock: Clock;
  failures: number;
  pauseMs: number;
  changed: (state: "open" | "closed") => void;
}) => {
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
    // An answer to a call from before the pause does not close the breaker.
    if (report === "answer" && (!wasOpen || isProbe)) doubts = 0;
    if (wasOpen !== isOpen()) changed(wasOpen ? "closed" : "open");
    waiters.wake("changed");
  };

  return {
    /** Null while accepts pause. Otherwise the accept may start, and `leave` must be called once, whatever happens. */
    enter: (): { leave: (report: CallReport) => void } | null => {
      if (isOpen() && (probing || pauseLeftMs() > 0)) return null;
      const isProbe = isOpen();
      probing = isProbe;
      return { leave: (report) => leave(report, isProbe) };
    },

    /** After this long, at most `maxMs`, or when it has `changed`, `enter` may succeed. */
    pauseLeftMs: (maxMs: number): number => Math.min(maxMs, probing ? pauseMs : Math.max(pauseLeftMs(), 1)),
    changed: (signal: AbortSignal): Promise<void> => waiters.wait("changed", signal),
  };
};
