import type { AuditPlace } from "./audit.ts";
import { isText, objectOf, readAuditEvent } from "./read-audit-event.ts";
import type { Asked } from "./resolve-outcome.ts";

/** What somebody asked for to be decided, as the audit topic has it. */
export type Request = Asked & {
  actionId: string;
  by: string;
  note: string;
  place: AuditPlace;
  /** By the audit topic's clock. */
  atMs: number;
};

/** How a request ended. `quoteId`: the quote of the doubt, where that was told. */
type End = { kind: string; quoteId: string | null };

/** Entries of the audit topic, in their order. */
export type RequestEntry =
  { kind: "request"; request: Request } | { kind: "end"; actionId: string; end: End } | { kind: "other" };

const OTHER: RequestEntry = { kind: "other" };
const textOrNull = (value: unknown): string | null => (isText(value) ? value : null);

/** Reads a record of the audit topic. What asks for no decision, or is in no form that this version writes, is `other`. Never throws. */
export const readRequestEntry = (text: string, at: { place: AuditPlace; atMs: number }): RequestEntry => {
  const event = readAuditEvent(text);
  if (event?.action !== "resolve") return OTHER;
  const { subject: commandId, actionId, by, data } = event;
  if (data["outcome"] !== undefined) {
    const { kind, quoteId, effect } = objectOf(data["outcome"]) ?? {};
    const told = textOrNull(quoteId) ?? textOrNull(objectOf(effect)?.["quoteId"]);
    return isText(kind) ? { kind: "end", actionId, end: { kind, quoteId: told } } : OTHER;
  }
  const { as, quoteId, force } = objectOf(data["parameters"]) ?? {};
  if (as !== "succeeded" && as !== "not-executed") return OTHER;
  const note = textOrNull(data["note"]) ?? "";
  const asked: Asked = { commandId, quoteId: textOrNull(quoteId), as, force: force === true };
  return { kind: "request", request: { ...asked, actionId, by, note, ...at } };
};

/** Whose names these are: the same for all ways to write one, and characters that show nothing do not make two of one. */
export const personOf = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "")
    .replace(/\s+/gu, " ")
    .trim()
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKC");

/** How long somebody's word stands. */
export const WORD_MS = 24 * 3_600_000;

type Known = { request: Request; end: End | null };

/** What a decision is about. `quoteId`: null where the doubt is about none. */
export type About = { commandId: string; quoteId: string | null };

/**
 * What people asked for to be decided, by the audit topic alone.
 * @param quoteName one text for all spellings of a quoteId
 */
export const createRequests = (quoteName: (quoteId: string) => string) => {
  let known: Known[] = [];
  const byAction = new Map<string, Known>();

  /** What is much older than any word that stands is not asked for again. */
  const forgetBefore = (ms: number): void => {
    if ((known[0]?.request.atMs ?? ms) >= ms) return;
    for (const { request } of known) if (request.atMs < ms) byAction.delete(request.actionId);
    known = known.filter(({ request }) => request.atMs >= ms);
  };

  const nameOf = (quoteId: string | null): string | null => quoteId && quoteName(quoteId);
  const quoteOf = ({ request, end }: Known): string | null => nameOf(end?.quoteId ?? request.quoteId);

  const lastWords = (those: readonly Known[]): Known[] => {
    const words = new Map<string, Known>();
    for (const one of those) {
      const name = JSON.stringify([personOf(one.request.by), quoteOf(one)]);
      words.delete(name);
      words.set(name, one);
    }
    return [...words.values()];
  };

  /** Those of a command that stood at this time. What was refused, or failed and is to be said again, is nobody's word. */
  const standing = (commandId: string, atMs: number): Known[] =>
    known.filter(
      ({ request, end }) =>
        request.commandId === commandId &&
        atMs - request.atMs < WORD_MS &&
        !["refused", "failed"].includes(end?.kind ?? ""),
    );

  return {
    take: (entry: RequestEntry): void => {
      if (entry.kind === "end") {
        const one = byAction.get(entry.actionId);
        if (one) one.end = entry.end;
      }
      // Of an entry that was written twice the first one counts.
      if (entry.kind !== "request" || byAction.has(entry.request.actionId)) return;
      const one: Known = { request: entry.request, end: null };
      known.push(one);
      byAction.set(entry.request.actionId, one);
      forgetBefore(entry.request.atMs - 2 * WORD_MS);
    },

    find: (actionId: string): Request | undefined => byAction.get(actionId)?.request,

    /** What each person said last of this doubt before this request. */
    before: ({ commandId, quoteId }: About, { place, atMs }: Request): Request[] => {
      const earlier = standing(commandId, atMs).filter(({ request }) => request.place.offset < place.offset);
      const about = earlier.filter((one) => quoteOf(one) === nameOf(quoteId));
      return lastWords(about).map(({ request }) => request);
    },

    /** Whether somebody's word on this doubt waited for a second one before this request. */
    isProposed: ({ commandId, quoteId }: About, { place, atMs }: Request): boolean =>
      standing(commandId, atMs).some(
        (one) =>
          one.request.place.offset < place.offset &&
          one.end?.kind === "proposed" &&
          quoteOf(one) === nameOf(quoteId),
      ),

    /** What is proposed of a command now, each with the quote that it is about. */
    proposals: (commandId: string, nowMs: number): Request[] => {
      const all = standing(commandId, nowMs);
      const decided = new Set(all.filter(({ end }) => end?.kind === "done").map(quoteOf));
      return lastWords(all.filter((one) => !decided.has(quoteOf(one)))).map(({ request, end }) => ({
        ...request,
        quoteId: end?.quoteId ?? request.quoteId,
      }));
    },
  };
};

export type Requests = ReturnType<typeof createRequests>;
