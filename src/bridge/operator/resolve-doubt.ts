import { randomUUID } from "node:crypto";
import { resultIdOf } from "../../commands-to-results/build-result.ts";
import { chooseDoubt, createCommandFinder } from "../../commands-to-results/journal-rules/find-doubt.ts";
import {
  quotesOf,
  resolve,
  withoutDoubt,
  type Resolved,
} from "../../commands-to-results/journal-rules/resolve.ts";
import type { Publish } from "../../commands-to-results/journal-rules/ports.ts";
import { quoteKey } from "../../commands-to-results/quote-key.ts";
import type { Config } from "../../config/config.ts";
import type { Actor } from "../../operator/action.ts";
import { continueUnless } from "../../operator/audit.ts";
import type { Permit } from "../../operator/four-eyes.ts";
import type { ResolveRequest, ResolveOutcome } from "../../operator/resolve-outcome.ts";
import { messageOf, UsageError } from "../../runtime/errors.ts";
import { placeText, type RecordPosition } from "../../runtime/record-position.ts";
import { openJournal, type OneKey } from "../journal-wiring/open.ts";
import type { Services } from "../services.ts";
import { openResults, type Results } from "../results.ts";
import { schemaIdsOf, untilRead } from "./read-journal.ts";

const DECIDE_TIMEOUT_MS = 60_000;
const BACKOFF = { baseMs: 250, maxMs: 5_000 };

/** Compares normalized keys: an older version may have written the key by other rules. */
const isQuote = (quoteId: string): ((key: string) => boolean) => {
  const wanted = quoteKey(quoteId);
  return (key) => key === wanted || quoteKey(key) === wanted;
};

type SchemaIds = ReadonlyMap<string, number>;

type DecideDeps = {
  config: Config;
  services: Services;
  schemaIds: SchemaIds;
  results: Results;
  stopped: AbortSignal | undefined;
};

/** @param only restricts reading to one quote's key */
const decideIn = async (
  { config, services, schemaIds, results, stopped }: DecideDeps,
  { commandId, quoteId, as }: ResolveRequest,
  { by, note }: Actor,
  permit: Permit,
  only?: OneKey,
): Promise<ResolveOutcome> => {
  const { clock } = services;
  const { topics } = config;
  const finder = createCommandFinder(commandId);
  const opened = await openJournal(config, services, schemaIds.get("command-journal-entry") ?? 0, {
    askNotes: () => Promise.resolve([]),
    only,
    see: finder.take,
  });
  const { view, journal } = opened;
  let published: RecordPosition | null = null;
  const publish: Publish = async (...result) => {
    published = await results.publishLate(...result);
  };
  const deps = {
    ...services,
    view,
    journal,
    codec: results.codec,
    publish,
    newId: () => randomUUID(),
    finalResultId: (id: string) => resultIdOf(id, true),
    timeOf: finder.timeOf,
    observer: { retrying: () => undefined },
    options: { backoff: BACKOFF },
  };
  const inTime = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    clock.withDeadline(DECIDE_TIMEOUT_MS, undefined, work);
  const placed = (resolved: Resolved): ResolveOutcome => {
    if (!("position" in resolved)) return resolved;
    const place = placeText(topics.journal, resolved.position);
    if (resolved.kind === "decided") return { ...resolved, place };
    return { ...resolved, place, published: published === null ? "" : placeText(topics.results, published) };
  };
  try {
    await untilRead(opened, clock, stopped);
    const chosen = chooseDoubt(finder.refs(), view.look, quoteId === null ? null : isQuote(quoteId));
    if (chosen.kind === "unknown") return chosen;
    if (chosen.kind === "several") {
      const { refs } = chosen;
      return { kind: "several", quotes: await inTime((signal) => quotesOf(deps, refs, signal)) };
    }
    const { ref } = chosen;
    const found = view.look(ref);
    if (found.kind !== "doubt") return placed(await inTime((signal) => withoutDoubt(deps, found, signal)));

    // Others may end the doubt meanwhile: `resolve` reads the view again.
    const permitted = await permit({ quoteId: ref.operation === "ACCEPT_QUOTE" ? ref.key : null });
    continueUnless(stopped);
    if (permitted.kind === "proposed") return permitted;
    const decision = { as, by, note, force: permitted.force };
    const ended = await inTime((signal) => resolve(deps, ref, decision, signal)).catch((error: unknown) => {
      throw new UsageError(
        `Nobody knows whether the decision on command ${commandId} was written (${messageOf(error)}): run the same again, and it shows what stands.`,
        { cause: error },
      );
    });
    return placed(ended);
  } finally {
    await opened.close();
  }
};

/**
 * Reads the journal, finds the command's doubt, and ends it with an operator's decision, if that is
 * permitted. With a quoteId it first reads only that quote's partition. Rejects if Kafka fails before it is
 * done, or if it is stopped before the decision is being written.
 */
export const resolveDoubt = async (
  config: Config,
  services: Services,
  stopped: AbortSignal | undefined,
  asked: ResolveRequest,
  actor: Actor,
  permit: Permit,
): Promise<ResolveOutcome> => {
  const schemaIds = await schemaIdsOf(config, services, ["journal", "results"]);
  const results = openResults(config, services, schemaIds.get("command-result") ?? 0);
  try {
    const deps = { config, services, schemaIds, results, stopped };
    const { quoteId } = asked;
    if (quoteId !== null) {
      const only = { key: quoteKey(quoteId), isKey: isQuote(quoteId) };
      const ended = await decideIn(deps, asked, actor, permit, only);
      if (ended.kind !== "unknown") return ended;
    }
    // An earlier version may have kept the quote under another spelling, in another partition.
    return await decideIn(deps, asked, actor, permit);
  } finally {
    await results.close();
  }
};
