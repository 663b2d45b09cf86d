import type { Clock } from "../runtime/clock.ts";
import type { Period } from "./period.ts";

type ScheduleOptions = {
  /** The wait between the end of a run and the beginning of the next one. */
  everyMs: number;
  windowMs: number;
  /** How far back the first run looks, and one run a day. */
  lookbackMs: number;
};

const DAY_MS = 86_400_000;
/** The events topic may have deleted older events, and their notifications would look unpublished. */
export const MAX_BACK_MS = 14 * DAY_MS;
/** How far the clocks of replicas may differ. */
const MAX_SKEW_MS = 300_000;

/** Whether an instant lies in the future: then a wrong clock noted it, and it says nothing. */
export const isAhead = (atMs: number, nowMs: number): boolean => atMs > nowMs + MAX_SKEW_MS;

type SchedulePorts = {
  clock: Pick<Clock, "now" | "sleep">;
  untilOpen: (signal: AbortSignal) => Promise<void>;
  run: (period: Period, signal: AbortSignal) => Promise<{ isWhole: boolean }>;
};

/**
 * Begins with the long look back, and repeats it once a day. Others look back to the last run that read everything.
 * @param notedAtMs until when an earlier leader had everything; null if that is not known
 */
export const reconcileRepeatedly = async (
  { everyMs, windowMs, lookbackMs }: ScheduleOptions,
  { clock, untilOpen, run }: SchedulePorts,
  notedAtMs: number | null,
  signal: AbortSignal,
): Promise<void> => {
  let wholeAtMs = notedAtMs ?? clock.now() - lookbackMs + windowMs;
  /** The last whole long look back began then. */
  let lookedBackAtMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    await untilOpen(signal);
    const nowMs = clock.now();
    if (isAhead(Math.max(wholeAtMs, lookedBackAtMs), nowMs)) {
      wholeAtMs = nowMs - MAX_BACK_MS;
      lookedBackAtMs = Number.NEGATIVE_INFINITY;
    }
    const isLookback = nowMs - lookedBackAtMs >= DAY_MS;
    const sinceWholeMs = Math.min(nowMs - wholeAtMs + windowMs, MAX_BACK_MS);
    const backMs = Math.max(isLookback ? lookbackMs : windowMs, sinceWholeMs);
    const { isWhole } = await run({ fromMs: nowMs - backMs, toMs: nowMs }, signal);
    if (isWhole) wholeAtMs = nowMs;
    if (isWhole && isLookback) lookedBackAtMs = nowMs;
    await clock.sleep(everyMs, signal);
  }
};
