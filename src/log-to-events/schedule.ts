import type { Clock } from "../runtime/clock.ts";
import type { Reconcile, Report } from "./flow.ts";
import type { Period } from "./period.ts";

export type ScheduleOptions = {
  /** From the end of a run to the beginning of the next one. */
  everyMs: number;
  /** How far back a run looks. */
  windowMs: number;
  /** How far back the first run looks, and one run a day. */
  lookbackMs: number;
  /** Younger notifications are left to their webhooks. */
  minAgeMs: number;
};

const DAY_MS = 86_400_000;
/** The events topic may have deleted older events, and their notifications would look unpublished. */
const MAX_BACK_MS = 14 * DAY_MS;
/** How far the clocks of replicas may differ. */
const MAX_SKEW_MS = 300_000;

/** It was noted while a clock was wrong, and says nothing. */
export const isAhead = (atMs: number, nowMs: number): boolean => atMs > nowMs + MAX_SKEW_MS;

export type SchedulePorts = {
  clock: Clock;
  /** Resolves when a run may begin. */
  untilOpen: (signal: AbortSignal) => Promise<void>;
  ended: (report: Report, durationMs: number, period: Period) => void;
};

/**
 * Reconciles again and again until `signal` aborts. Begins with the long look back, and repeats it until one is whole.
 * After an outage it reaches back to the one before.
 * @param notedAt when the last complete run of an earlier leader ended; null if that is not known
 */
export const reconcileRepeatedly = async (
  { everyMs, windowMs, lookbackMs, minAgeMs }: ScheduleOptions,
  run: Reconcile,
  { clock, untilOpen, ended }: SchedulePorts,
  notedAt: number | null,
  signal: AbortSignal,
): Promise<void> => {
  let isFirst = true;
  let lookedBackAt = notedAt ?? clock.now() - lookbackMs + windowMs;
  for (;;) {
    await untilOpen(signal);
    const nowMs = clock.now();
    const startedAt = clock.monotonic();
    const sinceMs = isAhead(lookedBackAt, nowMs) ? MAX_BACK_MS : nowMs - lookedBackAt;
    const isLookback = isFirst || sinceMs >= DAY_MS;
    const backMs = isLookback ? Math.max(lookbackMs, Math.min(sinceMs + windowMs, MAX_BACK_MS)) : windowMs;
    const period = { fromMs: nowMs - backMs, toMs: nowMs };
    const report = await run({ period, minAgeMs, dryRun: false, force: false }, signal);
    if (report.isWhole && isLookback) {
      isFirst = false;
      lookedBackAt = nowMs;
    }
    ended(report, clock.monotonic() - startedAt, period);
    await clock.sleep(everyMs, signal);
  }
};
