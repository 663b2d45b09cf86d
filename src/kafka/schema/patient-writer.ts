import type { Clock } from "../../runtime/clock.ts";
import type { Registry } from "./registry.ts";
import { untilKnown } from "./until-known.ts";

/** Waits for an id that the registry does not know yet. All who ask for the same id meanwhile share one wait. */
export const patientWriter = (
  { writer }: Pick<Registry, "writer">,
  clock: Pick<Clock, "sleep">,
): Registry["writer"] => {
  const waits = new Map<number, ReturnType<Registry["writer"]>>();
  return (id) => {
    const same = waits.get(id);
    if (same) return same;
    const wait = untilKnown(() => writer(id), clock).finally(() => waits.delete(id));
    waits.set(id, wait);
    return wait;
  };
};
