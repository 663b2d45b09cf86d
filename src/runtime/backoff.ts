/** The shape of a retry schedule, in milliseconds. */
export type Backoff = { baseMs: number; maxMs: number };

/**
 * Exponential backoff with full jitter: uniform between 0 and min(maxMs, baseMs * 2^attempt). The jitter
 * keeps clients that failed at the same time from retrying at the same time.
 * @param attempt 0 for the wait after the first failure
 * @param random a number in [0, 1)
 */
export const backoffMs = ({ baseMs, maxMs }: Backoff, attempt: number, random: number): number =>
  random * Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30));
