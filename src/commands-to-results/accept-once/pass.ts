import type { CallPermit } from "../../partner/types.ts";
import type { BreakerAdmission, Breaker, CallReport } from "./breaker.ts";

/** What one call needs besides its claim: a permit of the partner's limiter and, for an accept, the breaker's. */
export type Pass = ReturnType<typeof createPass>;

/** What holds the accepts of a replica back. */
type AcceptHold = {
  breaker: Breaker;
  /** The accepts of this replica whose calls ended in doubt, until the view has folded that. */
  unwrittenDoubts: Set<object>;
  /** Whether PARTNER_PAUSE_ON_DOUBT is set, and an accept is in doubt, on whichever replica it fell into doubt. */
  isDoubtOpen: () => boolean;
};

/** @param accepts null for a create */
export const createPass = (permit: CallPermit, accepts: AcceptHold | null) => {
  const breaker = accepts?.breaker;
  let admission: BreakerAdmission | null = null;
  let isHeld = false;
  const pass = {
    breakerLeftMs: (): number => breaker?.pauseLeftMs(admission) ?? 0,
    isHeldByDoubt: (): boolean => accepts !== null && accepts.isDoubtOpen(),
    hasPermit: (): boolean => isHeld,
    mayTakePermit: permit.isFree,
    permitFree: permit.untilFree,
    /** Takes it in the step in which both gates are open. */
    take: (): void => {
      permit.take();
      isHeld = true;
      admission = breaker?.enter() ?? null;
    },
    /** Called in the step in which the call ends in doubt, before another accept can start. */
    doubt: (): void => void accepts?.unwrittenDoubts.add(pass),
    doubtWritten: (): void => void accepts?.unwrittenDoubts.delete(pass),
    /** Gives back what is held, or a place in the queue, with what the call says of the partner. */
    give: (report: CallReport): void => {
      isHeld = false;
      permit.release();
      if (admission) breaker?.leave(admission, report);
      admission = null;
    },
  };
  return pass;
};
