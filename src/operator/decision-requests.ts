import { isText, readAuditEvent } from "./read-audit-event.ts";
import { objectOf } from "../runtime/json-object.ts";
import type { RecordPosition } from "../runtime/record-position.ts";
import type { ResolveRequest } from "./resolve-outcome.ts";

/** A request to end a doubt, as the audit topic holds it. */
export type DecisionRequest = ResolveRequest & {
  actionId: string;
  by: string;
  note: string;
  place: RecordPosition;
  /** The record's timestamp, by the broker's clock. */
  atMs: number;
};

/** The outcome of a request. `quoteId`: of the doubt, where the outcome names it. */
type End = { kind: string; quoteId: string | null };

/** An audit entry, as far as it concerns decisions. */
export type RequestEntry =
  | { kind: "request"; request: DecisionRequest }
  | { kind: "end"; actionId: string; end: End }
  | { kind: "other" };

const OTHER: RequestEntry = { kind: "other" };
const textOrNull = (value: unknown): string | null => (isText(value) ? value : null);

/**
 * Reads a record of the audit topic. Other actions, and forms that this version does not know, are `other`.
 * Never throws.
 */
export const readRequestEntry = (text: string, at: { place: RecordPosition; atMs: number }): RequestEntry => {
  const event = readAuditEvent(text);
  if (event?.action !== "resolve") return OTHER;
  const { subject: commandId, actionId, by, data } = event;
  if (data["outcome"] !== undefined) {
    const { kind, quoteId, effect } = objectOf(data["outcome"]) ?? {};
    const ofDoubt = textOrNull(quoteId) ?? textOrNull(objectOf(effect)?.["quoteId"]);
    return isText(kind) ? { kind: "end", actionId, end: { kind, quoteId: ofDoubt } } : OTHER;
  }
  const { as, quoteId, force } = objectOf(data["parameters"]) ?? {};
  if (as !== "succeeded" && as !== "not-executed") return OTHER;
  const note = textOrNull(data["note"]) ?? "";
  const asked: ResolveRequest = { commandId, quoteId: textOrNull(quoteId), as, force: force === true };
  return { kind: "request", request: { ...asked, actionId, by, note, ...at } };
};

/** The same text for all spellings of a name: case, width and invisible characters do not matter, and runs of blanks count as one. */
export const canonicalName = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "")
    .replace(/\s+/gu, " ")
    .trim()
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKC");

/** How long a proposal may be approved. */
export const PROPOSAL_MS = 24 * 3_600_000;

type Known = { request: DecisionRequest; end: End | null };

/** A doubt. `quoteId`: null where it is about no quote. */
export type DoubtRef = { commandId: string; quoteId: string | null };

/**
 * Folds the requests to end doubts from the audit topic.
 * @param quoteName gives one text for all spellings of a quoteId
 */
export const createDecisionRequests = (quoteName: (quoteId: string) => string) => {
  let known: Known[] = [];
  const byAction = new Map<string, Known>();

  /** Bounds memory: no caller asks for a request that is older than a proposal may be. */
  const forgetBefore = (ms: number): void => {
    if ((known[0]?.request.atMs ?? ms) >= ms) return;
    for (const { request } of known) if (request.atMs < ms) byAction.delete(request.actionId);
    known = known.filter(({ request }) => request.atMs >= ms);
  };

  const nameOf = (quoteId: string | null): string | null => quoteId && quoteName(quoteId);
  const quoteOf = ({ request, end }: Known): string | null => nameOf(end?.quoteId ?? request.quoteId);

  const lastOfEachPerson = (those: readonly Known[]): Known[] => {
    const latest = new Map<string, Known>();
    for (const one of those) {
      const name = JSON.stringify([canonicalName(one.request.by), quoteOf(one)]);
      latest.delete(name);
      latest.set(name, one);
    }
    return [...latest.values()];
  };

  /** The requests for a command that counted at this time: not expired, refused or failed. */
  const validRequests = (commandId: string, atMs: number): Known[] =>
    known.filter(
      ({ request, end }) =>
        request.commandId === commandId &&
        atMs - request.atMs < PROPOSAL_MS &&
        !["refused", "failed"].includes(end?.kind ?? ""),
    );

  return {
    take: (entry: RequestEntry): void => {
      if (entry.kind === "end") {
        const one = byAction.get(entry.actionId);
        if (one) one.end = entry.end;
      }
      // A retry of the producer may write an entry twice: the first one counts.
      if (entry.kind !== "request" || byAction.has(entry.request.actionId)) return;
      const one: Known = { request: entry.request, end: null };
      known.push(one);
      byAction.set(entry.request.actionId, one);
      forgetBefore(entry.request.atMs - 2 * PROPOSAL_MS);
    },

    find: (actionId: string): DecisionRequest | undefined => byAction.get(actionId)?.request,

    /** The last request of each person about this doubt before this one. */
    before: ({ commandId, quoteId }: DoubtRef, { place, atMs }: DecisionRequest): DecisionRequest[] => {
      const earlier = validRequests(commandId, atMs).filter(
        ({ request }) => request.place.offset < place.offset,
      );
      const about = earlier.filter((one) => quoteOf(one) === nameOf(quoteId));
      return lastOfEachPerson(about).map(({ request }) => request);
    },

    /** Whether a proposal on this doubt was open before this request. */
    isProposed: ({ commandId, quoteId }: DoubtRef, { place, atMs }: DecisionRequest): boolean =>
      validRequests(commandId, atMs).some(
        (one) =>
          one.request.place.offset < place.offset &&
          one.end?.kind === "proposed" &&
          quoteOf(one) === nameOf(quoteId),
      ),

    /** The open proposals on a command, each with the quote that it is about. */
    proposals: (commandId: string, nowMs: number): DecisionRequest[] => {
      const all = validRequests(commandId, nowMs);
      const decided = new Set(all.filter(({ end }) => end?.kind === "done").map(quoteOf));
      return lastOfEachPerson(all.filter((one) => !decided.has(quoteOf(one)))).map(({ request, end }) => ({
        ...request,
        quoteId: end?.quoteId ?? request.quoteId,
      }));
    },
  };
};

export type DecisionRequests = ReturnType<typeof createDecisionRequests>;
