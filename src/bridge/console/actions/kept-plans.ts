import { randomUUID } from "node:crypto";
import type { ReplayPlan, Selection } from "../../../console/ports.ts";
import type { Actor } from "../../../operator/action.ts";
import { readRef, refOf } from "../../../operator/replay/dead-letter.ts";
import type { Plan } from "../../../operator/replay/plan.ts";
import { UsageError } from "../../../runtime/errors.ts";
import type { RecordPosition } from "../../../runtime/record-position.ts";
import type { Request } from "../../operator/replay.ts";
import { selectionOf } from "../ranges.ts";

/** What is kept of a plan. Its letters are read again when it is carried out. */
export type KeptPlan = { by: string; places: readonly RecordPosition[]; again: boolean; madeAtMs: number };

const KEEP_MS = 15 * 60_000;
const MAX_PLANS = 20;
export const MAX_LETTERS = 10_000;
const SHOWN = 100;

/** The letters of a selection. Throws a UsageError for a ref that names none, or for too many refs. */
export const lettersOf = (selection: Selection): Request["letters"] => {
  if (!("refs" in selection)) return selectionOf(selection);
  if (selection.refs.length > MAX_LETTERS)
    throw new UsageError(`More than ${MAX_LETTERS} dead letters are named: name fewer.`);
  const refs = selection.refs.map((ref) => {
    const place = readRef(ref);
    if (place === null) throw new UsageError(`"${ref}" names no dead letter: a name looks like 3/4711.`);
    return place;
  });
  return { refs };
};

/** Keeps plans that were shown, each for the person who made it. @param nowMs a monotonic clock */
export const createPlanStore = (nowMs: () => number) => {
  const plans = new Map<string, KeptPlan>();
  const forgetOld = (): void => {
    for (const [id, { madeAtMs }] of plans)
      if (nowMs() - madeAtMs >= KEEP_MS || plans.size > MAX_PLANS) plans.delete(id);
  };
  return {
    keep: (
      { by }: Actor,
      { send, skipped, warnings }: Plan,
      unknown: readonly RecordPosition[],
      again: boolean,
    ) => {
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
    /** Throws a UsageError when this person has no such plan. */
    find: ({ by }: Actor, planId: string): KeptPlan => {
      forgetOld();
      const plan = plans.get(planId);
      if (plan?.by !== by)
        throw new UsageError("This plan is not known any more: nothing was sent. Make the plan once more.");
      return plan;
    },
  };
};
