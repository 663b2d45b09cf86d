const LOOK_EVERY_MS = 50;
/** Less than the timeout of a unit test, so that this error is reported, not vitest's. */
const SOON_MS = 8_000;

/**
 * Polls `look` until it returns something other than false; when it throws, it is polled again. Rejects after
 * `withinMs`, even if `look` hangs, with `what` was waited for and the last error.
 */
export const eventually = async <T>(
  look: () => Promise<T> | T,
  what: string,
  withinMs = SOON_MS,
): Promise<Exclude<T, false>> => {
  let problem: unknown;
  let over = false;
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      over = true;
      const last = problem instanceof Error ? `: ${problem.message}` : "";
      reject(new Error(`still waiting for ${what} after ${withinMs} ms${last}`, { cause: problem }));
    }, withinMs);
  });
  const looking = async (): Promise<Exclude<T, false>> => {
    while (!over) {
      try {
        const seen = await look();
        if (seen !== false) return seen as Exclude<T, false>;
        problem = undefined;
      } catch (error) {
        problem = error;
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    return deadline;
  };
  try {
    return await Promise.race([looking(), deadline]);
  } finally {
    clearTimeout(timer);
  }
};
