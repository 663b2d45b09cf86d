/** The shape of a retry schedule, in milliseconds. */
export type Backoff = { baseMs: number; maxMs: number };

/** Full jitter keeps clients that failed together from retrying together. `attempt` is 0 after the first failure. */
export const backoffMs = ({ baseMs, maxMs }: Backoff, attempt: number, random: number): number =>
  random * Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30));
