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

/** When the last whole run began, or what the first looks back to; and the last whole look-back, null before one. */
type Last = { wholeAt: number; lookbackAt: number | null };

/** The period of the next run: since the last whole one at least, and what was too young for that. */
const nextPeriod = (
  nowMs: number,
  { windowMs, lookbackMs, minAgeMs }: ScheduleOptions,
  { wholeAt, lookbackAt }: Last,
): { period: Period; isLookback: boolean } => {
  const isLookback = lookbackAt === null || isAhead(lookbackAt, nowMs) || nowMs - lookbackAt >= DAY_MS;
  const sinceWholeMs = isAhead(wholeAt, nowMs) ? MAX_BACK_MS : nowMs - wholeAt + minAgeMs;
  const backMs = Math.max(isLookback ? lookbackMs : windowMs, Math.min(sinceWholeMs, MAX_BACK_MS));
  return { period: { fromMs: nowMs - backMs, toMs: nowMs }, isLookback };
};

export type SchedulePorts = {
  clock: Clock;
  /** Resolves when a run may begin. */
  untilOpen: (signal: AbortSignal) => Promise<void>;
  ended: (report: Report, durationMs: number, period: Period) => void;
};

/**
 * Reconciles again and again until `signal` aborts. Begins with the long look back, and repeats it until one is whole.
 * @param notedAt when the last whole run of an earlier leader began; null if that is not known
 */
export const reconcileRepeatedly = async (
  options: ScheduleOptions,
  run: Reconcile,
  { clock, untilOpen, ended }: SchedulePorts,
  notedAt: number | null,
  signal: AbortSignal,
): Promise<void> => {
  const { everyMs, lookbackMs, minAgeMs } = options;
  const last: Last = { wholeAt: notedAt ?? clock.now() - lookbackMs + minAgeMs, lookbackAt: null };
  for (;;) {
    await untilOpen(signal);
    const nowMs = clock.now();
    const startedAt = clock.monotonic();
    const { period, isLookback } = nextPeriod(nowMs, options, last);
    const report = await run({ period, minAgeMs, dryRun: false, force: false }, signal);
    if (report.isWhole) {
      last.wholeAt = nowMs;
      if (isLookback) last.lookbackAt = nowMs;
    }
    ended(report, clock.monotonic() - startedAt, period);
    await clock.sleep(everyMs, signal);
  }
};
