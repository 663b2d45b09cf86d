import type { Action, Outcome } from "../action.ts";
import { isText, readAuditEvent } from "../read-audit-event.ts";
import { objectOf, type Json } from "../../runtime/json-object.ts";
import type { Claim, ClaimsEntry, LetterEnd } from "./claims.ts";

/** The parameters of a claim's audit entry. */
export type ClaimParameters = Pick<Claim, "topic" | "ends" | "letters" | "leaseMs">;

/** The audited action of a claim. */
export const claimAction = (parameters: ClaimParameters, again: boolean): Action => {
  const refs = Object.keys(parameters.letters);
  const subject = refs.length === 1 ? (refs[0] ?? "") : `${refs.length} dead letters`;
  return { kind: "replay", subject, parameters: { ...parameters, again } };
};

/** The audited outcome of a claim. `refused` when nothing was sent: then all its letters are free again. */
export const claimOutcome = (topic: string, ends: ReadonlyMap<string, LetterEnd>): Outcome => {
  const isNothing = [...ends.values()].every(({ end }) => end === "left");
  const [first] = ends.values();
  if (isNothing) return { kind: "refused", reason: first?.end === "left" ? first.reason : "" };
  return { kind: "done", effect: { topic, letters: Object.fromEntries(ends) } };
};

const everyValue = <T>(json: Json | null, is: (value: unknown) => value is T): Record<string, T> | null =>
  json !== null && Object.values(json).every(is) ? (json as Record<string, T>) : null;

const isOffset = (value: unknown): value is number => Number.isSafeInteger(value);

const isEnd = (value: unknown): value is LetterEnd => {
  const { end, place, eventId } = objectOf(value) ?? {};
  if (end === "sent" || end === "found") return isText(place);
  return end === "duplicate" ? isText(eventId) : end === "left" || end === "unknown";
};

/**
 * Reads a record of the audit topic. Other actions, and forms that this version does not know, are `other`.
 * Never throws.
 */
export const readClaimsEntry = (
  text: string,
  { offset, timestampMs }: { offset: number; timestampMs: number },
): ClaimsEntry => {
  const event = readAuditEvent(text);
  if (event?.action !== "replay") return { kind: "other" };
  const { actionId, by, data } = event;
  const { outcome } = data;
  if (outcome === undefined) {
    const { topic, leaseMs, ...rest } = objectOf(data["parameters"]) ?? {};
    const ends = everyValue(objectOf(rest["ends"]), isOffset);
    const letters = everyValue(objectOf(rest["letters"]), isText);
    if (!isText(topic) || !isOffset(leaseMs) || !ends || !letters) return { kind: "other" };
    return {
      kind: "claim",
      claim: { actionId, offset, atMs: timestampMs, by, topic, ends, letters, leaseMs },
    };
  }
  const { kind, effect } = objectOf(outcome) ?? {};
  const ends = everyValue(objectOf(objectOf(effect)?.["letters"]), isEnd);
  return { kind: "end", actionId, ends, isRefused: kind === "refused" };
};
