import { randomUUID } from "node:crypto";
import type { LetterFilter, ReplayPlan, Selection } from "../../../console/ports.ts";
import type { Actor } from "../../../operator/action.ts";
import { readRef, refOf, type Place } from "../../../operator/replay/dead-letter.ts";
import type { Plan } from "../../../operator/replay/plan.ts";
import { UsageError } from "../../../runtime/errors.ts";
import type { Request } from "../../operator/replay.ts";

/** What is kept of a plan: enough to carry it out. Its letters are read again then. */
export type KeptPlan = { by: string; places: readonly Place[]; again: boolean; madeAtMs: number };

const KEEP_MS = 15 * 60_000;
const MAX_PLANS = 20;
export const MAX_LETTERS = 10_000;
const SHOWN = 100;

const ofFilter = ({ reason, sinceMs, untilMs }: LetterFilter): Request["letters"] => ({
  reason: reason ?? undefined,
  sinceMs: sinceMs ?? undefined,
  untilMs: untilMs ?? undefined,
});

/** Which letters are meant. Throws a UsageError for what names none, or too many. */
export const lettersOf = (selection: Selection): Request["letters"] => {
  if (!("refs" in selection)) return ofFilter(selection);
  if (selection.refs.length > MAX_LETTERS)
    throw new UsageError(`More than ${MAX_LETTERS} dead letters are named: name fewer.`);
  const refs = selection.refs.map((ref) => {
    const place = readRef(ref);
    if (place === null) throw new UsageError(`"${ref}" names no dead letter: a name looks like 3/4711.`);
    return place;
  });
  return { refs };
};

/** Plans that were shown, each for whoever made it. `nowMs` never jumps. */
export const keepPlans = (nowMs: () => number) => {
  const plans = new Map<string, KeptPlan>();
  const forgetOld = (): void => {
    for (const [id, { madeAtMs }] of plans)
      if (nowMs() - madeAtMs >= KEEP_MS || plans.size > MAX_PLANS) plans.delete(id);
  };
  return {
    keep: ({ by }: Actor, { send, skipped, warnings }: Plan, unknown: readonly Place[], again: boolean) => {
      const planId = randomUUID();
      plans.set(planId, { by, places: send.map(({ letter }) => letter.place), again, madeAtMs: nowMs() });
      forgetOld();
      const absent = unknown.map((place) => ({
        ref: refOf(place),
        why: "there is no such letter",
        detail: "",
      }));
      const others = skipped.map(({ letter, skipped: { why, detail } }) => ({
        ref: refOf(letter.place),
        why,
        detail,
      }));
      const plan: ReplayPlan = {
        planId,
        send: send.slice(0, SHOWN).map(({ letter, topic }) => ({
          ref: refOf(letter.place),
          topic,
          preview: letter.preview,
        })),
        sendCount: send.length,
        skipped: [...absent, ...others].slice(0, SHOWN),
        skippedCount: absent.length + others.length,
        warnings: [...warnings].map(([warning, count]) => `${count} ${warning}`),
      };
      return plan;
    },
    /** Throws a UsageError where this person has no such plan. */
    find: ({ by }: Actor, planId: string): KeptPlan => {
      forgetOld();
      const plan = plans.get(planId);
      if (plan?.by !== by)
        throw new UsageError("This plan is not known any more: nothing was sent. Make the plan once more.");
      return plan;
    },
  };
};
