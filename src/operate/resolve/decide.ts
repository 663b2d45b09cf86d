import { randomUUID } from "node:crypto";
import { openJournal, type OneKey } from "../../commands-to-results/accept-once/journal/open.ts";
import { isRegistryError } from "../../services/outage.ts";
import { openResults, type Results } from "../../commands-to-results/wire/results.ts";
import { resultIdOf } from "../../commands-to-results/build-result.ts";
import { chooseDoubt, createCommandFinder } from "../../commands-to-results/accept-once/find-doubt.ts";
import type { Publish } from "../../commands-to-results/accept-once/ports.ts";
import {
  quotesOf,
  resolvableAtMs,
  resolve,
  withoutDoubt,
  type Resolved,
} from "../../commands-to-results/accept-once/resolve.ts";
import { quoteKey } from "../../commands-to-results/quote-key.ts";
import { messageOf, UsageError } from "../../runtime/errors.ts";
import { placeText, type RecordPosition } from "../../runtime/record-position.ts";
import { continueUnless, NothingDone } from "../actor.ts";
import type { Connections } from "../connections.ts";
import { schemaIdsOf, untilRead } from "../doubts/doubts.ts";
import type { ResolveOutcome, ResolveRequest } from "./outcome.ts";

/** Who decides, for the journal. `onlyPropose`: four eyes, the doubt is looked at and not ended. */
export type Decider = { by: string; note: string; onlyPropose: boolean };

/** A proposal has its place only once it is written. */
export type Decided =
  | Exclude<ResolveOutcome, { kind: "proposed" }>
  | Omit<Extract<ResolveOutcome, { kind: "proposed" }>, "ref" | "place">;

const DECIDE_TIMEOUT_MS = 60_000;
const BACKOFF = { baseMs: 250, maxMs: 5_000 };

/** Compares normalized keys: an older version may have written the key by other rules. */
const isQuote = (quoteId: string): ((key: string) => boolean) => {
  const wanted = quoteKey(quoteId);
  return (key) => key === wanted || quoteKey(key) === wanted;
};

type Topics = { schemaIds: ReadonlyMap<string, number>; results: Results };

/** @param only restricts reading to one quote's key */
const decideIn = async (
  connections: Connections,
  { schemaIds, results }: Topics,
  { commandId, quoteId, as, force }: ResolveRequest,
  { by, note, onlyPropose }: Decider,
  stopped: AbortSignal,
  only?: OneKey,
): Promise<Decided> => {
  const { config, services } = connections;
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
  const placed = (resolved: Resolved): Decided => {
    if (!("position" in resolved)) return resolved;
    const place = placeText(topics.journal, resolved.position);
    if (resolved.kind === "decided") return { ...resolved, place };
    return { ...resolved, place, published: published === null ? "" : placeText(topics.results, published) };
  };
  try {
    await untilRead(connections, opened, stopped);
    const chosen = chooseDoubt(finder.refs(), view.look, quoteId === null ? null : isQuote(quoteId));
    if (chosen.kind === "unknown") return chosen;
    if (chosen.kind === "several") {
      const { refs } = chosen;
      return { kind: "several", quotes: await inTime((signal) => quotesOf(deps, refs, signal)) };
    }
    const { ref } = chosen;
    const found = view.look(ref);
    if (found.kind !== "doubt") return placed(await inTime((signal) => withoutDoubt(deps, found, signal)));
    if (onlyPropose)
      return {
        kind: "proposed",
        quoteId: ref.operation === "ACCEPT_QUOTE" ? ref.key : null,
        resolvableAtMs: resolvableAtMs(found.claim),
      };
    continueUnless(stopped);
    const decision = { as, by, note, force };
    return placed(
      await inTime((signal) => resolve(deps, ref, decision, signal)).catch((error: unknown) => {
        throw new UsageError(
          `Nobody knows whether the decision on command ${commandId} was written (${messageOf(error)}): run the same again, and it shows what stands.`,
          { cause: error },
        );
      }),
    );
  } finally {
    await opened.close();
  }
};

const decideOrReject = async (
  connections: Connections,
  asked: ResolveRequest,
  decider: Decider,
  stopped: AbortSignal,
): Promise<Decided> => {
  const schemaIds = await schemaIdsOf(connections, ["journal", "results"]);
  const { config, services } = connections;
  const results = openResults(config, services, schemaIds.get("command-result") ?? 0);
  const topics = { schemaIds, results };
  try {
    const { quoteId } = asked;
    if (quoteId !== null) {
      const only = { key: quoteKey(quoteId), isKey: isQuote(quoteId) };
      const ended = await decideIn(connections, topics, asked, decider, stopped, only);
      if (ended.kind !== "unknown") return ended;
    }
    // An earlier version may have kept the quote under another spelling, in another partition.
    return await decideIn(connections, topics, asked, decider, stopped);
  } finally {
    await results.close();
  }
};

/**
 * Reads the journal, finds the command's doubt, and ends it with an operator's decision, or proposes to. With a
 * quoteId it first reads only that quote's partition. Throws NothingDone if Kafka fails before the decision is
 * being written, and if it is stopped before; later a UsageError that says so.
 */
export const decide = (
  connections: Connections,
  asked: ResolveRequest,
  decider: Decider,
  stopped: AbortSignal,
): Promise<Decided> =>
  decideOrReject(connections, asked, decider, stopped).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    continueUnless(stopped);
    const who = isRegistryError(error) ? "the schema registry" : "Kafka";
    throw new NothingDone(
      `The journal could not be read (${messageOf(error)}), and nothing was decided: run it again when ${who} answers.`,
      { cause: error },
    );
  });
