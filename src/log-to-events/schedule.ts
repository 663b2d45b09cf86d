import type { Clock } from "../runtime/clock.ts";
import type { Reconcile, Report } from "./flow.ts";
import type { Period } from "./period.ts";

type ScheduleOptions = {
  /** The wait between the end of a run and the beginning of the next one. */
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
export const MAX_BACK_MS = 14 * DAY_MS;
/** How far the clocks of replicas may differ. */
const MAX_SKEW_MS = 300_000;

/** Whether an instant lies in the future: it was noted while a clock was wrong, and says nothing. */
export const isAhead = (atMs: number, nowMs: number): boolean => atMs > nowMs + MAX_SKEW_MS;

type SchedulePorts = {
  clock: Clock;
  /** Resolves when a run may begin. */
  untilOpen: (signal: AbortSignal) => Promise<void>;
  ended: (report: Report, durationMs: number, period: Period) => void;
};

/**
 * Reconciles again and again until `signal` aborts. Begins with the long look back, repeats it once a day, and after
 * each run that did not read everything: from the window of the last run that did.
 * @param notedAt until when an earlier leader had everything; null if that is not known
 */
export const reconcileRepeatedly = async (
  { everyMs, windowMs, lookbackMs, minAgeMs }: ScheduleOptions,
  run: Reconcile,
  { clock, untilOpen, ended }: SchedulePorts,
  notedAt: number | null,
  signal: AbortSignal,
): Promise<void> => {
  let wholeAt = notedAt ?? clock.now() - lookbackMs + windowMs;
  /** When the last whole look-back began; null where the next run must be one. */
  let lookedBackAt: number | null = null;
  for (;;) {
    await untilOpen(signal);
    const nowMs = clock.now();
    const startedAt = clock.monotonic();
    if (isAhead(Math.max(wholeAt, lookedBackAt ?? wholeAt), nowMs)) {
      wholeAt = nowMs - MAX_BACK_MS;
      lookedBackAt = null;
    }
    // A run may have waited: none must lie further back than it looks.
    const isGap = nowMs - wholeAt > windowMs - minAgeMs;
    const isLookback = isGap || lookedBackAt === null || nowMs - lookedBackAt >= DAY_MS;
    const sinceMs = Math.min(nowMs - wholeAt + windowMs, MAX_BACK_MS);
    const backMs = isLookback ? Math.max(lookbackMs, sinceMs) : windowMs;
    const period = { fromMs: nowMs - backMs, toMs: nowMs };
    const report = await run({ period, minAgeMs, dryRun: false, force: false }, signal);
    if (report.isWhole) wholeAt = nowMs;
    if (!report.isWhole) lookedBackAt = null;
    else if (isLookback) lookedBackAt = nowMs;
    ended(report, clock.monotonic() - startedAt, period);
    await clock.sleep(everyMs, signal);
  }
};
