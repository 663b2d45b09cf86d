import type { CallPermit } from "../../partner/types.ts";
import type { BreakerAdmission, Breaker, CallReport } from "./breaker.ts";
import type { DoubtHold } from "./doubt-hold.ts";
import type { Ref } from "./entry.ts";

/** What one call needs besides its claim: a permit of the partner's limiter and, for an accept, the breaker's. */
export type Pass = ReturnType<typeof createPass>;

/** @param accepts what holds accepts back; null for a create */
export const createPass = (
  permit: CallPermit,
  accepts: { breaker: Breaker; doubtHold: DoubtHold } | null,
) => {
  const breaker = accepts?.breaker;
  let admission: BreakerAdmission | null = null;
  let isHeld = false;
  return {
    breakerLeftMs: (): number => breaker?.pauseLeftMs(admission) ?? 0,
    isHeldByDoubt: (): boolean => accepts !== null && accepts.doubtHold.isHeld(),
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
    doubt: (ref: Ref, attemptId: string): void => accepts?.doubtHold.add(ref, attemptId),
    /** Gives back what is held, or a place in the queue, with what the call says of the partner. */
    give: (report: CallReport): void => {
      isHeld = false;
      permit.release();
      if (admission) breaker?.leave(admission, report);
      admission = null;
    },
  };
};
