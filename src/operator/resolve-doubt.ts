import type { Action, Actor, Outcome } from "./action.ts";
import type { Audited } from "./audit.ts";
import { permission, type FourEyes, type Permit } from "./four-eyes.ts";
import { refusalOf, type Asked, type Ended } from "./resolve-outcome.ts";
import type { Request } from "./decision-requests.ts";

export type ResolvePorts = {
  audited: Audited;
  /** Finds the doubt, asks for the permission to end it, and ends it. */
  decide: (asked: Asked, actor: Actor, permit: Permit) => Promise<Ended>;
  fourEyes: FourEyes;
};

const outcomeOf = (asked: Asked, ended: Ended, second: Request | null): Outcome => {
  const reason = refusalOf(asked, ended) ?? ended.kind;
  if (ended.kind === "proposed") {
    const { untilMs, quoteId } = ended;
    return { kind: "proposed", reason, until: new Date(untilMs).toISOString(), quoteId };
  }
  if (ended.kind !== "resolved") return { kind: "refused", reason };
  const { outcome, resultId, quoteId } = ended.result;
  const confirms = second && { by: second.by, actionId: second.actionId };
  const effect = { journal: ended.place, result: ended.published, outcome, resultId, quoteId };
  return { kind: "done", effect: { ...effect, ...(confirms && { confirms }) } };
};

/** Ends a command's doubt with an operator's word, unless somebody was faster, or a second operator must say the same. */
export const resolve =
  ({ audited, decide, fourEyes }: ResolvePorts) =>
  (actor: Actor, asked: Asked): Promise<Ended> => {
    const { commandId, ...parameters } = asked;
    const action: Action = { kind: "resolve", subject: commandId, parameters };
    return audited(actor, action, async (begun) => {
      const { permit, endOf, second } = permission(fourEyes, asked, begun);
      const ended = endOf(await decide(asked, actor, permit));
      return { value: ended, outcome: outcomeOf(asked, ended, second()) };
    });
  };
