import type { Clock } from "../runtime/clock.ts";
import type { Reconcile, Report } from "./flow.ts";
import type { Window } from "./period.ts";

export type RunsOptions = {
  /** Between the end of a run and the beginning of the next. All of these are milliseconds. */
  everyMs: number;
  /** How far back each run looks. */
  windowMs: number;
  /** How far back at the start and once a day. */
  lookbackMs: number;
  minAgeMs: number;
};

const DAY_MS = 86_400_000;

/** Behind that, the events topic may not hold what was published any more. */
const MAX_BACK_MS = 14 * DAY_MS;

/** How far back a run looks, from the last ones that read everything (by the beginning of each; null before the first). */
export const windowOf = (
  nowMs: number,
  { windowMs, lookbackMs, minAgeMs }: RunsOptions,
  last: { wholeAt: number | null; lookbackAt: number | null },
): Window & { isLookback: boolean } => {
  const isLookback = last.lookbackAt === null || nowMs - last.lookbackAt >= DAY_MS;
  // What was too young for the last one, and all that was sent since.
  const sinceWhole = Math.min(nowMs - (last.wholeAt ?? nowMs) + minAgeMs, MAX_BACK_MS);
  const backMs = Math.max(isLookback ? lookbackMs : windowMs, sinceWhole);
  return { fromMs: nowMs - backMs, toMs: nowMs, isLookback };
};

/**
 * Runs one after the other, until `signal` aborts. Begins with a look far back, for nobody knows what was missed before; only one that read
 * everything ends that.
 */
export const keepReconciled = async (
  options: RunsOptions,
  run: Reconcile,
  {
    clock,
    untilOpen,
    ended,
  }: {
    clock: Clock;
    /** Resolves when a run may begin. */
    untilOpen: (signal: AbortSignal) => Promise<void>;
    ended: (report: Report, window: Window, ms: number) => void;
  },
  signal: AbortSignal,
): Promise<void> => {
  const last: { wholeAt: number | null; lookbackAt: number | null } = {
    wholeAt: null,
    lookbackAt: null,
  };
  for (;;) {
    await untilOpen(signal);
    const nowMs = clock.now();
    const startedAt = clock.monotonic();
    const { isLookback, ...window } = windowOf(nowMs, options, last);
    const giveUpAt = startedAt + options.everyMs;
    const { minAgeMs } = options;
    const report = await run({ window, minAgeMs, dryRun: false, force: false, giveUpAt }, signal);
    if (report.isWhole) {
      last.wholeAt = nowMs;
      if (isLookback) last.lookbackAt = nowMs;
    }
    ended(report, window, clock.monotonic() - startedAt);
    await clock.sleep(options.everyMs, signal);
  }
};
