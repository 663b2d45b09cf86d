const LOOK_EVERY_MS = 50;

/** Waits until `look` gives something that is true, or does not throw where it gives nothing; fails with its last error. */
export const eventually = async <T>(look: () => Promise<T> | T, withinMs: number): Promise<T> => {
  const until = Date.now() + withinMs;
  for (;;) {
    let problem: unknown = new Error(`not within ${withinMs} ms`);
    try {
      const seen = await look();
      if (seen !== false) return seen;
    } catch (error) {
      problem = error;
    }
    if (Date.now() > until) throw problem;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
};
