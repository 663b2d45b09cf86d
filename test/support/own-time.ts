const TICK_MS = 20;
/** A timer that is late by less is late as timers are. */
const STANDSTILL_MS = 100;

/**
 * How long something took (ms), without the time in which this process stood still: on a busy machine an
 * answer that came in time is looked at late.
 */
export const timed = async <T>(work: Promise<T>): Promise<{ value: T; ms: number }> => {
  const startedAt = performance.now();
  let stoodStillMs = 0;
  let tickedAt = startedAt;
  const tick = (): void => {
    const now = performance.now();
    const lateMs = now - tickedAt - TICK_MS;
    if (lateMs > STANDSTILL_MS) stoodStillMs += lateMs;
    tickedAt = now;
  };
  const ticks = setInterval(tick, TICK_MS);
  try {
    const value = await work;
    tick();
    return { value, ms: performance.now() - startedAt - stoodStillMs };
  } finally {
    clearInterval(ticks);
  }
};
