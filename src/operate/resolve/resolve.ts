import { UsageError } from "../../runtime/errors.ts";
import { iso } from "../../runtime/instant.ts";
import { placeText, positionText } from "../../runtime/record-position.ts";
import { isSamePerson, NothingDone, type Actor } from "../actor.ts";
import { withAudit } from "../audit/audited.ts";
import type { AuditOutcome } from "../audit/entry.ts";
import type { Tools } from "../tools.ts";
import { withDoubt, type Ended } from "./end-doubt.ts";
import { refusalText, type ResolveOutcome, type ResolveRequest } from "./outcome.ts";
import { findProposal, resolveAction } from "./proposal.ts";

type MayBeProposed = { kind: "mayBeProposed"; quoteId: string; resolvableAtMs: number };

const outcomeFor = (request: ResolveRequest, ended: Ended): AuditOutcome => {
  if (ended.kind === "decided") return { kind: "refused", reason: refusalText(request, ended) ?? "" };
  const { outcome, resultId, quoteId, transactionId } = ended.result;
  const places = { journal: ended.place, result: ended.published };
  return { kind: "done", effect: { ...places, outcome, resultId, quoteId, transactionId } };
};

/** If CONSOLE_FOUR_EYES is set, this only writes a proposal. Throws NothingDone where nothing can be decided. */
export const resolve = (tools: Tools, actor: Actor, request: ResolveRequest): Promise<ResolveOutcome> =>
  withAudit(tools, actor, async ({ act }) => {
    const { topics, console } = tools.config;
    const { value, ended } = await act<Ended | MayBeProposed>(resolveAction(request), async () => {
      const decided = await withDoubt(tools, request, async ({ end, ...doubt }) => {
        const proposable: MayBeProposed = { kind: "mayBeProposed", ...doubt };
        return console.fourEyes ? proposable : end(actor.by, actor.note);
      });
      if (decided.kind !== "mayBeProposed") return { value: decided, outcome: outcomeFor(request, decided) };
      const reason = "another person must confirm it within 24 hours";
      return { value: decided, outcome: { kind: "proposed", reason, quoteId: decided.quoteId } };
    });
    if (value.kind !== "mayBeProposed") return value;
    // The audit entry of this outcome is the proposal.
    if (ended === null)
      throw new UsageError("The proposal could not be written, so nothing is proposed. Propose it again.");
    return { ...value, kind: "proposed", ref: positionText(ended), place: placeText(topics.audit, ended) };
  });

export type Confirmed = { request: ResolveRequest; outcome: ResolveOutcome };

/** The proposal's age is measured by Kafka's clock: against the entry that this confirmation writes first. */
export const confirm = (
  tools: Tools,
  actor: Actor,
  { ref, as }: { ref: string; as: ResolveRequest["as"] },
): Promise<Confirmed> =>
  withAudit(tools, actor, async ({ act }) => {
    const { request, by, note, atMs: proposedAtMs, untilMs } = await findProposal(tools, ref);
    const refused = (why: string): NothingDone =>
      new NothingDone(`Command ${request.commandId} is not decided: ${why}`);
    const { value: outcome } = await act(resolveAction(request, ref), async ({ atMs }) => {
      if (as !== request.as)
        throw refused(
          `${ref} proposes ${request.as}, which is not what was confirmed. See that the REF is right.`,
        );
      if (isSamePerson(by, actor.by)) throw refused(`${by} proposed it, and another person must confirm it.`);
      if ((await atMs()) >= untilMs)
        throw refused(`what was proposed at ${iso(proposedAtMs)} is older than 24 hours. Propose it again.`);
      const decidedBy = `${by}, confirmed by ${actor.by}`;
      const ended = await withDoubt(tools, request, ({ end }) => end(decidedBy, note));
      return { value: ended, outcome: outcomeFor(request, ended) };
    });
    return { request, outcome };
  });
