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

/** When the last whole run began, or what the first looks back to; and the last whole look back, null before one. */
type Last = { wholeAt: number; lookbackAt: number | null };

/** The period of the next run. */
const periodOf = (
  nowMs: number,
  { windowMs, lookbackMs, minAgeMs }: ScheduleOptions,
  { wholeAt, lookbackAt }: Last,
): Period & { isLookback: boolean } => {
  const isLookback = lookbackAt === null || isAhead(lookbackAt, nowMs) || nowMs - lookbackAt >= DAY_MS;
  // All since the last complete run, and what was too young for that one.
  const sinceWholeMs = isAhead(wholeAt, nowMs)
    ? MAX_BACK_MS
    : Math.min(nowMs - wholeAt + minAgeMs, MAX_BACK_MS);
  const backMs = Math.max(isLookback ? lookbackMs : windowMs, sinceWholeMs);
  return { fromMs: nowMs - backMs, toMs: nowMs, isLookback };
};

export type SchedulePorts = {
  clock: Clock;
  /** Resolves when a run may begin. */
  untilOpen: (signal: AbortSignal) => Promise<void>;
  ended: (report: Report, period: Period, durationMs: number) => void;
  /** Called after a whole run for what no run has looked at, and no later one will. */
  leftOut: (period: Period) => void;
};

/**
 * Reconciles again and again until `signal` aborts. Begins with the long look back, and repeats it until one is whole.
 * @param notedAt when the last whole run of an earlier leader began; null if that is not known
 */
export const reconcileRepeatedly = async (
  options: ScheduleOptions,
  run: Reconcile,
  { clock, untilOpen, ended, leftOut }: SchedulePorts,
  notedAt: number | null,
  signal: AbortSignal,
): Promise<void> => {
  const { lookbackMs, minAgeMs } = options;
  const last: Last = { wholeAt: notedAt ?? clock.now() - lookbackMs + minAgeMs, lookbackAt: null };
  for (;;) {
    await untilOpen(signal);
    const nowMs = clock.now();
    const startedAt = clock.monotonic();
    const { isLookback, ...period } = periodOf(nowMs, options, last);
    const giveUpAt = startedAt + options.everyMs;
    const report = await run({ period, minAgeMs, dryRun: false, force: false, giveUpAt }, signal);
    if (report.isWhole) {
      const sinceMs = last.wholeAt - minAgeMs;
      if (sinceMs < period.fromMs) leftOut({ fromMs: sinceMs, toMs: period.fromMs });
      last.wholeAt = nowMs;
      if (isLookback) last.lookbackAt = nowMs;
    }
    ended(report, period, clock.monotonic() - startedAt);
    await clock.sleep(options.everyMs, signal);
  }
};
