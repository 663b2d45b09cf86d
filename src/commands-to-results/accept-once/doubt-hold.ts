import type { Ref } from "./entry.ts";
import type { View } from "./view.ts";

export type DoubtHold = ReturnType<typeof createDoubtHold>;

/** Where PARTNER_PAUSE_ON_DOUBT is set, no accept starts while one is in doubt, on whichever replica it fell into doubt. */
export const createDoubtHold = (view: Pick<View, "doubts" | "look" | "ready">, isOn: boolean) => {
  /** Attempts of this replica whose calls ended in doubt, as long as the view shows only their claims. */
  const unwritten = new Map<string, Ref>();
  const forgetWritten = (): void => {
    if (!view.ready()) return;
    for (const [attemptId, ref] of unwritten) {
      const look = view.look(ref);
      if (look.kind !== "held" || look.claim.attemptId !== attemptId) unwritten.delete(attemptId);
    }
  };
  return {
    isHeld: (): boolean => {
      if (!isOn) return false;
      forgetWritten();
      return unwritten.size > 0 || view.doubts().length > 0;
    },
    /** Called in the step in which the call ends, before another accept can start. */
    add: (ref: Ref, attemptId: string): void => {
      if (isOn) unwritten.set(attemptId, ref);
    },
  };
};
