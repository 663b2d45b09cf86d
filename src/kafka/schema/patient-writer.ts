import type { Clock } from "../../runtime/clock.ts";
import type { Registry } from "./registry.ts";

/** 30 seconds in all: a registry that has just started, or copies another one, knows an id late. */
const AGAIN_AFTER_MS = [500, 1_000, 2_000, 4_000, 8_000, 14_500];

/**
 * Asks again for an id that the registry does not know yet. Null: it has not come to know it. All who ask for
 * the same id meanwhile share one wait.
 */
export const patientWriter = (
  { writer }: Pick<Registry, "writer">,
  { sleep }: Pick<Clock, "sleep">,
): Registry["writer"] => {
  const waits = new Map<number, ReturnType<Registry["writer"]>>();

  const untilKnown = async (id: number): ReturnType<Registry["writer"]> => {
    for (const waitMs of AGAIN_AFTER_MS) {
      const known = await writer(id);
      if (known !== null) return known;
      await sleep(waitMs);
    }
    return writer(id);
  };

  return (id) => {
    const same = waits.get(id);
    if (same) return same;
    const wait = untilKnown(id).finally(() => waits.delete(id));
    waits.set(id, wait);
    return wait;
  };
};
