import { saysFailed, type FailureSign } from "../../runtime/json-pointer.ts";
import { membersUpToCut, parseJson } from "../../runtime/json.ts";
import type { PartnerRequest } from "../types.ts";
import { idIn, normalized } from "./find-quote-id.ts";

/** How much of a body is read for what it proves, unpacked, however little of it is kept. */
export const EVIDENCE_BYTES = 1_048_576;

/** What a body is, as far as it was read. `packed`: it cannot be unpacked. */
export type Evidence =
  | { kind: "none" }
  | { kind: "packed" }
  | { kind: "json"; text: string }
  | { kind: "startOfJson"; text: string }
  | { kind: "other"; text: string; isCut: boolean };

/** An object or an array as far as it came. */
const START_OF_JSON = /^(?:\{\s*(?:$|["}])|\[\s*(?:$|[[{"\]\d-]))/;

const isJson = (text: string): boolean => text === "null" || parseJson(text) !== null;

/** @param body null if it cannot be unpacked */
export const evidenceIn = (body: string | null, isCut: boolean): Evidence => {
  if (body === null) return { kind: "packed" };
  const text = body.trim();
  if (text === "") return { kind: "none" };
  if (isCut) return START_OF_JSON.test(text) ? { kind: "startOfJson", text } : { kind: "other", text, isCut };
  return isJson(text) ? { kind: "json", text } : { kind: "other", text, isCut };
};

/** An id without what may differ where a partner gives it back: case, accents, punctuation, leading zeros. */
const comparableId = (id: string): string =>
  id
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\.0+$/, "")
    .replace(/[^\p{L}\p{N}]/gu, "")
    .replace(/^0+(?=.)/, "");

/** Returns the name of the first sent id for which the answer's root holds another value. */
const otherId = (text: string, ids: PartnerRequest["ids"]): string | null => {
  const root = membersUpToCut(text).map(({ key, raw }) => ({ name: normalized(key), raw }));
  const isOther = (name: string, id: string | null): boolean =>
    root.some((member) => {
      const value = member.name === normalized(name) ? comparableId(idIn(member.raw) ?? "") : "";
      return id !== null && value !== "" && value !== comparableId(id);
    });
  return Object.entries(ids).find(([name, id]) => isOther(name, id))?.[0] ?? null;
};

export const FAILED = "says in the body that it failed";

/** Why the body of a 2xx leaves open whether an accept was executed; null if it does not. Completes "the partner …". */
export const doubtIn = (
  evidence: Evidence,
  ids: PartnerRequest["ids"],
  signs: readonly FailureSign[],
): string | null => {
  if (evidence.kind === "none") return null;
  if (evidence.kind === "packed") return "sent a body that cannot be unpacked";
  if (evidence.kind === "other") return "sent a body that is no JSON";
  if (saysFailed(evidence.text, signs)) return FAILED;
  const name = otherId(evidence.text, ids);
  return name === null ? null : `names another ${name} than was sent`;
};
