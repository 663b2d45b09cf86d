import type { View } from "./view.ts";

export type DoubtHold = ReturnType<typeof createDoubtHold>;

/** Where PARTNER_PAUSE_ON_DOUBT is set, no accept starts while one is in doubt, on whichever replica it fell into doubt. */
export const createDoubtHold = (view: Pick<View, "doubts">, isOn: boolean) => {
  /** Calls of this replica that ended in doubt, as long as the view does not show it. */
  let unwritten = 0;
  return {
    isHeld: (): boolean => isOn && (unwritten > 0 || view.doubts().length > 0),
    /** Called in the step in which the call ends, before another accept can start. */
    add: (): void => void (unwritten += 1),
    written: (): void => void (unwritten -= 1),
  };
};
