const LOOK_EVERY_MS = 50;
/** Less than a unit test may take, so that it is this that says what was wrong. */
const SOON_MS = 8_000;

/**
 * Waits until `look` gives something other than false; what it throws means "not yet". Rejects in time, even where `look` hangs, with
 * what was waited for and the last thing that was wrong.
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
