/** Waits until `condition` holds; fails with what it was waiting for. A rejection ends the wait. */
export const waitUntil = async (
  condition: () => boolean | Promise<boolean>,
  what: string,
  withinMs = 30_000,
): Promise<void> => {
  const until = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > until) throw new Error(`still waiting for ${what} after ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
