import { UsageError } from "../../runtime/errors.ts";
import { placeText, positionText } from "../../runtime/record-position.ts";
import { isSamePerson, type Actor } from "../actor.ts";
import { withAudit } from "../audit/audited.ts";
import type { Outcome } from "../audit/entry.ts";
import type { Connections, Warn } from "../connections.ts";
import { decide, type Decided } from "./decide.ts";
import { refusalOf, type ResolveOutcome, type ResolveRequest } from "./outcome.ts";
import { findProposal, resolveAction } from "./proposal.ts";

const resultOf = <D extends Decided>(asked: ResolveRequest, ended: D): { value: D; outcome: Outcome } => {
  if (ended.kind === "proposed") {
    const { quoteId } = ended;
    const reason = "another person must confirm it within 24 hours";
    return { value: ended, outcome: { kind: "proposed", reason, quoteId } };
  }
  if (ended.kind !== "resolved")
    return { value: ended, outcome: { kind: "refused", reason: refusalOf(asked, ended) ?? ended.kind } };
  const { outcome, resultId, quoteId } = ended.result;
  const effect = { journal: ended.place, result: ended.published, outcome, resultId, quoteId };
  return { value: ended, outcome: { kind: "done", effect } };
};

/**
 * Ends a command's doubt as an operator says, unless it was ended already. With CONSOLE_FOUR_EYES it only writes a
 * proposal, which another person must confirm. If Kafka fails, throws a UsageError that says whether anything was
 * decided.
 */
export const resolve = (
  connections: Connections,
  actor: Actor,
  asked: ResolveRequest,
  { warn }: { warn: Warn },
  stopped: AbortSignal,
): Promise<ResolveOutcome> =>
  withAudit(connections, actor, { warn, stopped }, async ({ act }) => {
    const { by, note } = actor;
    const decider = { by, note, onlyPropose: connections.config.console.fourEyes };
    const { value, ended } = await act(resolveAction(asked), async () =>
      resultOf(asked, await decide(connections, asked, decider, stopped)),
    );
    if (value.kind !== "proposed") return value;
    // The proposal is that entry.
    if (ended === null)
      throw new UsageError("Nothing is proposed, because it could not be written: run it again.");
    return {
      ...value,
      ref: positionText(ended),
      place: placeText(connections.config.topics.audit, ended),
    };
  });

type Final = Exclude<Decided, { kind: "proposed" }>;

/** What was proposed, and what came of it. */
export type Confirmed = { asked: ResolveRequest; ended: Final };

/**
 * Ends the doubt that a proposal is about, as it says. It must be of another person, and less than 24 hours old
 * by Kafka's clock: its record's time is compared with that of the entry that this confirmation writes first.
 */
export const confirm = (
  connections: Connections,
  actor: Actor,
  ref: string,
  { warn }: { warn: Warn },
  stopped: AbortSignal,
): Promise<Confirmed> =>
  withAudit(connections, actor, { warn, stopped }, async ({ act }) => {
    const proposal = await findProposal(connections, ref, stopped);
    if (proposal === null)
      throw new UsageError(
        `${ref} is no proposal in ${connections.config.topics.audit}: \`cambio-bridge resolve\` said its REF, such as 0/4711.`,
      );
    const { asked, by, note, atMs: proposedAtMs, untilMs } = proposal;
    const { value: ended } = await act<Final>(resolveAction(asked, ref), async ({ atMs }) => {
      if (isSamePerson(by, actor.by)) return resultOf<Final>(asked, { kind: "sameAuthor", by });
      if ((await atMs()) >= untilMs) return resultOf<Final>(asked, { kind: "expired", proposedAtMs });
      const decider = { by: `${by}, confirmed by ${actor.by}`, note, onlyPropose: false };
      const decided = await decide(connections, asked, decider, stopped);
      if (decided.kind === "proposed") throw new Error("a confirmation proposes nothing");
      return resultOf<Final>(asked, decided);
    });
    return { asked, ended };
  });
