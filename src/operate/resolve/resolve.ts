import { randomUUID } from "node:crypto";
import { openJournal } from "../../commands-to-results/accept-once/journal/open.ts";
import { describeOutage } from "../../kafka/wire/outage.ts";
import { openResults } from "../../commands-to-results/wire/results.ts";
import { chooseDoubt, createCommandFinder } from "./find-doubt.ts";
import type { Publish } from "../../commands-to-results/accept-once/ports.ts";
import {
  resolvableAtMs,
  endInJournal,
  withoutDoubt,
  type Resolved,
} from "../../commands-to-results/accept-once/resolve.ts";
import { messageOf, UsageError } from "../../runtime/errors.ts";
import { placeText, positionText } from "../../runtime/record-position.ts";
import { continueUnless, isSamePerson, NothingDone, type Actor } from "../actor.ts";
import { withAudit } from "../audit/audited.ts";
import type { AuditOutcome } from "../audit/entry.ts";
import { askNotes, inspectSchemas, type ToolServices } from "../tool-services.ts";
import { doubtReader, isSameQuote, untilRead } from "../doubts/doubts.ts";
import { factsOfDoubts } from "../doubts/facts.ts";
import { keyName } from "../../commands-to-results/accept-once/fingerprint.ts";
import { refusalText, type ResolveOutcome, type ResolveRequest } from "./outcome.ts";
import { findProposal, resolveAction } from "./proposal.ts";
import { transactionFault } from "./transaction.ts";

/** Who decides, for the journal. `onlyPropose`: four eyes, the doubt is looked at and not ended. */
type Decider = { by: string; note: string; onlyPropose: boolean };

const DECIDE_TIMEOUT_MS = 60_000;
const BACKOFF = { baseMs: 250, maxMs: 5_000 };

/** Reads the journal, finds the command's doubt, and ends it with an operator's decision, or only looks at it. */
const readAndDecide = async (
  services: ToolServices,
  { commandId, quoteId, as, force, transactionId }: ResolveRequest,
  { by, note, onlyPropose }: Decider,
  stopped: AbortSignal,
): Promise<ResolveOutcome> => {
  const { config } = services;
  const { topics } = config;
  const schemaIdOf = await inspectSchemas(services, ["journal", "results"]);
  const finder = createCommandFinder(commandId);
  const opened = await openJournal(services, schemaIdOf("command-journal-entry"), {
    askNotes: askNotes(services),
    see: finder.take,
  });
  const results = await openResults(services, schemaIdOf("command-result"));
  const { view, journal } = opened;
  let published = "no place, because the commandId has its result for another command";
  const deps = {
    ...{
      ...services,
      view,
      journal,
      codec: results.codec,
      timeOf: finder.timeOf,
      isOlderElsewhere: finder.isOlderElsewhere,
    },
    newId: () => randomUUID(),
    observer: { retrying: () => undefined },
    options: { backoff: BACKOFF },
    publish: async (...result: Parameters<Publish>) => {
      published = placeText(topics.results, await results.publishLate(...result));
    },
  };
  const inTime = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    services.clock.withDeadline(DECIDE_TIMEOUT_MS, undefined, work);
  const placed = (resolved: Exclude<Resolved, { kind: "tooYoung" }>): ResolveOutcome => {
    if (!("position" in resolved)) return resolved;
    const place = placeText(topics.journal, resolved.position);
    return resolved.kind === "resolved" ? { ...resolved, place, published } : { ...resolved, place };
  };
  try {
    const lack = await untilRead(services, opened, stopped);
    const isMeant = quoteId === null ? null : (key: string) => isSameQuote(key, quoteId);
    const chosen = chooseDoubt(finder.refs(), view.look, isMeant);
    if (chosen.kind === "unknown" && lack !== null)
      throw new NothingDone(
        `Nothing was decided: ${lack}, and the doubt may stand there. See docs/failures.md.`,
      );
    if (chosen.kind === "unknown") return chosen;
    if (chosen.kind === "several") return { kind: "several", quotes: chosen.refs.map(({ key }) => key) };
    const { ref } = chosen;
    const current = view.look(ref);
    if (current.kind !== "doubt")
      return placed(await inTime((signal) => withoutDoubt(deps, ref, current, signal)));
    const endable = { claimedAtMs: current.claim.timestampMs, resolvableAtMs: resolvableAtMs(current.claim) };
    if (transactionId !== null) {
      const fault = await transactionFault(services, transactionId, { commandId, ...endable }, stopped);
      if (fault !== null) return fault;
    }
    const doubt = view.doubts().find((one) => keyName(one.ref) === keyName(ref));
    if (as === "not-executed" && !force && doubt) {
      const [facts] = await factsOfDoubts(
        services,
        [await doubtReader(services, journal)(doubt)],
        () => undefined,
        stopped,
      );
      const transactionIds = (facts?.evidence ?? []).map((one) => one.transactionId);
      if (transactionIds.length > 0) return { kind: "evidence", transactionIds };
    }
    if (onlyPropose) {
      const quote = ref.operation === "ACCEPT_QUOTE" ? ref.key : null;
      return { kind: "proposed", ref: "", place: "", quoteId: quote, ...endable };
    }
    continueUnless(stopped);
    const decision = { as, by, note, force, transactionId };
    const resolved = await inTime((signal) => endInJournal(deps, ref, decision, signal)).catch(
      (error: unknown) => {
        throw new UsageError(
          `Nobody knows whether the decision on command ${commandId} was written (${messageOf(error)}): resolve ` +
            "it again, and what stands is shown.",
          { cause: error },
        );
      },
    );
    return resolved.kind === "tooYoung" ? { kind: "tooYoung", ...endable } : placed(resolved);
  } finally {
    await opened.close();
    await results.close();
  }
};

const auditedAs = (request: ResolveRequest, ended: ResolveOutcome): AuditOutcome => {
  if (ended.kind === "proposed") {
    const reason = "another person must confirm it within 24 hours";
    return { kind: "proposed", reason, quoteId: ended.quoteId };
  }
  if (ended.kind !== "resolved")
    return { kind: "refused", reason: refusalText(request, ended) ?? ended.kind };
  const { outcome, resultId, quoteId, transactionId } = ended.result;
  const places = { journal: ended.place, result: ended.published };
  const effect = { ...places, outcome, resultId, quoteId, transactionId };
  return { kind: "done", effect };
};

/**
 * Calls readAndDecide. Throws NothingDone if Kafka fails before the decision is being written, and if it is stopped before;
 * later a UsageError that says so.
 */
const decide = async (
  services: ToolServices,
  request: ResolveRequest,
  decider: Decider,
  stopped: AbortSignal,
): Promise<ResolveOutcome> => {
  try {
    return await readAndDecide(services, request, decider, stopped);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    continueUnless(stopped);
    throw new NothingDone(
      `The journal could not be read, and nothing was decided. ${describeOutage(error, services.config)}.`,
      { cause: error },
    );
  }
};

/**
 * Ends a command's doubt as an operator says, unless it was ended already. With CONSOLE_FOUR_EYES it only writes a
 * proposal, which another person must confirm. If Kafka fails, throws a UsageError that says whether anything was
 * decided.
 */
export const resolve = (
  services: ToolServices,
  actor: Actor,
  request: ResolveRequest,
  stopped: AbortSignal,
): Promise<ResolveOutcome> =>
  withAudit(services, actor, stopped, async ({ act }) => {
    const { by, note } = actor;
    const decider = { by, note, onlyPropose: services.config.console.fourEyes };
    const { value, ended } = await act(resolveAction(request), async () => {
      const value = await decide(services, request, decider, stopped);
      return { value, outcome: auditedAs(request, value) };
    });
    if (value.kind !== "proposed") return value;
    // The proposal is that entry.
    if (ended === null)
      throw new UsageError(
        "The proposal could not be written to the audit topic, so nothing is proposed. Propose it again.",
      );
    return {
      ...value,
      ref: positionText(ended),
      place: placeText(services.config.topics.audit, ended),
    };
  });

/** What was proposed, and what came of it. */
export type Confirmed = { request: ResolveRequest; outcome: ResolveOutcome };

/**
 * Ends the doubt that a proposal is about, as it says and as the second person repeats. It must be of another person, and less than 24 hours old
 * by Kafka's clock: its record's time is compared with that of the entry that this confirmation writes first.
 */
export const confirm = (
  services: ToolServices,
  actor: Actor,
  { ref, as }: { ref: string; as: ResolveRequest["as"] },
  stopped: AbortSignal,
): Promise<Confirmed> =>
  withAudit(services, actor, stopped, async ({ act }) => {
    const { request, by, note, atMs: proposedAtMs, untilMs } = await findProposal(services, ref, stopped);
    const decider = { by: `${by}, confirmed by ${actor.by}`, note, onlyPropose: false };
    const { value: outcome } = await act(resolveAction(request, ref), async ({ atMs }) => {
      const confirmed = async (): Promise<ResolveOutcome> => {
        if (as !== request.as) return { kind: "otherOutcome", ref, as: request.as };
        if (isSamePerson(by, actor.by)) return { kind: "sameAuthor", by };
        if ((await atMs()) >= untilMs) return { kind: "expired", proposedAtMs };
        return decide(services, request, decider, stopped);
      };
      const value = await confirmed();
      return { value, outcome: auditedAs(request, value) };
    });
    return { request, outcome };
  });
