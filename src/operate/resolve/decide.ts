import { randomUUID } from "node:crypto";
import { openJournal } from "../../commands-to-results/accept-once/journal/open.ts";
import { isRegistryError } from "../../services/outage.ts";
import { openResults } from "../../commands-to-results/wire/results.ts";
import { chooseDoubt, createCommandFinder } from "../../commands-to-results/accept-once/find-doubt.ts";
import type { Publish } from "../../commands-to-results/accept-once/ports.ts";
import {
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

const readAndDecide = async (
  connections: Connections,
  { commandId, quoteId, as, force }: ResolveRequest,
  { by, note, onlyPropose }: Decider,
  stopped: AbortSignal,
): Promise<Decided> => {
  const { config, services } = connections;
  const { topics } = config;
  const schemaIds = await schemaIdsOf(connections, ["journal", "results"]);
  const finder = createCommandFinder(commandId);
  const opened = await openJournal(config, services, schemaIds.get("command-journal-entry") ?? 0, {
    askNotes: () => Promise.resolve([]),
    see: finder.take,
  });
  const results = openResults(config, services, schemaIds.get("command-result") ?? 0);
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
    timeOf: finder.timeOf,
    observer: { retrying: () => undefined },
    options: { backoff: BACKOFF },
  };
  const inTime = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    services.clock.withDeadline(DECIDE_TIMEOUT_MS, undefined, work);
  const placed = (resolved: Exclude<Resolved, { kind: "tooYoung" }>): Decided => {
    if (!("position" in resolved)) return resolved;
    const place = placeText(topics.journal, resolved.position);
    if (resolved.kind === "decided") return { ...resolved, place };
    return { ...resolved, place, published: published === null ? "" : placeText(topics.results, published) };
  };
  try {
    await untilRead(connections, opened, stopped);
    const chosen = chooseDoubt(finder.refs(), view.look, quoteId === null ? null : isQuote(quoteId));
    if (chosen.kind === "unknown") return chosen;
    if (chosen.kind === "several") return { kind: "several", quotes: chosen.refs.map(({ key }) => key) };
    const { ref } = chosen;
    const found = view.look(ref);
    if (found.kind !== "doubt") return placed(await inTime((signal) => withoutDoubt(deps, found, signal)));
    const endable = { claimedAtMs: found.claim.timestampMs, resolvableAtMs: resolvableAtMs(found.claim) };
    if (onlyPropose) {
      const quote = ref.operation === "ACCEPT_QUOTE" ? ref.key : null;
      return { kind: "proposed", quoteId: quote, resolvableAtMs: endable.resolvableAtMs };
    }
    continueUnless(stopped);
    const decision = { as, by, note, force };
    const resolved = await inTime((signal) => resolve(deps, ref, decision, signal)).catch(
      (error: unknown) => {
        throw new UsageError(
          `Nobody knows whether the decision on command ${commandId} was written (${messageOf(error)}): run the same again, and it shows what stands.`,
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

/**
 * Reads the journal, finds the command's doubt, and ends it with an operator's decision, or proposes to. Throws
 * NothingDone if Kafka fails before the decision is being written, and if it is stopped before; later a UsageError
 * that says so.
 */
export const decide = (
  connections: Connections,
  asked: ResolveRequest,
  decider: Decider,
  stopped: AbortSignal,
): Promise<Decided> =>
  readAndDecide(connections, asked, decider, stopped).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    continueUnless(stopped);
    const who = isRegistryError(error) ? "the schema registry" : "Kafka";
    throw new NothingDone(
      `The journal could not be read (${messageOf(error)}), and nothing was decided: run it again when ${who} answers.`,
      { cause: error },
    );
  });
