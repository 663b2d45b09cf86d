import type { Clock } from "../../runtime/clock.ts";

/** 30 seconds in all: a registry that has just started, or copies another one, knows late what it has. */
const AGAIN_AFTER_MS = [500, 1_000, 2_000, 4_000, 8_000, 14_500];

/** Asks the registry again while it does not know the answer yet. Null: it has not come to know it. */
export const untilKnown = async <T>(
  ask: () => Promise<T | null>,
  { sleep }: Pick<Clock, "sleep">,
): Promise<T | null> => {
  for (const waitMs of AGAIN_AFTER_MS) {
    const known = await ask();
    if (known !== null) return known;
    await sleep(waitMs);
  }
  return ask();
};
