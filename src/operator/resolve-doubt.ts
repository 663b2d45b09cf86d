import { iso } from "../runtime/instant.ts";
import type { Action, Actor, Outcome } from "./action.ts";
import type { Audited } from "./audit.ts";
import { permission, type FourEyes, type Permit } from "./four-eyes.ts";
import { refusalOf, type ResolveRequest, type ResolveOutcome } from "./resolve-outcome.ts";
import type { DecisionRequest } from "./decision-requests.ts";

export type ResolvePorts = {
  audited: Audited;
  /** Finds the doubt, calls `permit`, and ends it. */
  decide: (asked: ResolveRequest, actor: Actor, permit: Permit) => Promise<ResolveOutcome>;
  fourEyes: FourEyes;
};

const outcomeOf = (asked: ResolveRequest, ended: ResolveOutcome, second: DecisionRequest | null): Outcome => {
  const reason = refusalOf(asked, ended) ?? ended.kind;
  if (ended.kind === "proposed") {
    const { untilMs, quoteId } = ended;
    return { kind: "proposed", reason, until: iso(untilMs), quoteId };
  }
  if (ended.kind !== "resolved") return { kind: "refused", reason };
  const { outcome, resultId, quoteId } = ended.result;
  const confirms = second && { by: second.by, actionId: second.actionId };
  const effect = { journal: ended.place, result: ended.published, outcome, resultId, quoteId };
  return { kind: "done", effect: { ...effect, ...(confirms && { confirms }) } };
};

/**
 * Ends a command's doubt as an operator says, unless it was ended already or needs the approval of a second
 * operator.
 */
export const resolve =
  ({ audited, decide, fourEyes }: ResolvePorts) =>
  (actor: Actor, asked: ResolveRequest): Promise<ResolveOutcome> => {
    const { commandId, ...parameters } = asked;
    const action: Action = { kind: "resolve", subject: commandId, parameters };
    return audited(actor, action, async (begun) => {
      const { permit, finalOutcome, second } = permission(fourEyes, asked, begun);
      const ended = finalOutcome(await decide(asked, actor, permit));
      return { value: ended, outcome: outcomeOf(asked, ended, second()) };
    });
  };
