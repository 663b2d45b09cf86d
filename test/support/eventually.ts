const LOOK_EVERY_MS = 50;
/** Less than the timeout of a unit test, so that this error is reported, not vitest's. */
const SOON_MS = 8_000;

/** For the look that begins at the deadline. */
const LAST_LOOK_MS = 2_000;

const HANGS = Symbol("the look hangs");

/**
 * Polls `look` until it returns something other than false; when it throws, it is polled again. The last look
 * begins at the deadline, because a process that stood still until then has not seen what came in time. Rejects
 * after it, also if `look` hangs, with `what` was waited for and the last error.
 */
export const eventually = async <T>(
  look: () => Promise<T> | T,
  what: string,
  withinMs = SOON_MS,
): Promise<Exclude<T, false>> => {
  const deadline = performance.now() + withinMs;
  const leftMs = (): number => Math.max(0, deadline - performance.now());
  let problem: unknown;
  for (let isLast = false; !isLast;) {
    isLast = leftMs() === 0;
    let timer: NodeJS.Timeout | undefined;
    const hanging = new Promise<typeof HANGS>((resolve) => {
      timer = setTimeout(() => resolve(HANGS), isLast ? LAST_LOOK_MS : leftMs());
    });
    try {
      const seen = await Promise.race([Promise.resolve().then(look), hanging]);
      if (seen !== HANGS && seen !== false) return seen as Exclude<T, false>;
      if (seen === false) problem = undefined;
    } catch (error) {
      problem = error;
    } finally {
      clearTimeout(timer);
    }
    if (!isLast) await new Promise((resolve) => setTimeout(resolve, Math.min(LOOK_EVERY_MS, leftMs())));
  }
  const last = problem instanceof Error ? `: ${problem.message}` : "";
  throw new Error(`still waiting for ${what} after ${withinMs} ms${last}`, { cause: problem });
};
