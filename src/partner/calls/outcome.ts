import type { Answer, Outcome, PartnerRequest } from "../types.ts";

type Operation = PartnerRequest["operation"];
type AnswerKind = Exclude<Outcome["kind"], "notSent" | "unclear">;

/** Whether the settings say that a status does not prove whether an accept was executed. */
type IsDoubtful = (status: number) => boolean;

/** Redirects that prove that nothing was done. Any other one may be the answer to an executed call. */
const MOVED = new Set([301, 307, 308]);
/** Like 504, mostly sent by a gateway that does not know what became of the request. */
const ALWAYS_UNKNOWN = new Set([408, 425]);

/** @param entries statuses and classes of them that prove nothing about an accept: `409`, `4xx` */
export const doubtfulStatuses = (entries: readonly string[]): IsDoubtful => {
  const listed = new Set(entries.map((entry) => entry.toLowerCase()));
  return (status) => listed.has(String(status)) || listed.has(`${Math.floor(status / 100)}xx`);
};

const kindOf = (operation: Operation, status: number, isDoubtful: IsDoubtful): AnswerKind => {
  if (status >= 200 && status < 300) return "executed";
  if (ALWAYS_UNKNOWN.has(status) || status >= 500) return "unknown";
  if (operation === "ACCEPT_QUOTE" && isDoubtful(status)) return "unknown";
  if (status === 429) return "throttled";
  if (status === 401) return "unauthorized";
  // A second quote does no harm, so a create counts as refused. For an accept, 1xx and other 3xx prove nothing.
  return operation === "CREATE_QUOTE" || MOVED.has(status) || status >= 400 ? "refused" : "unknown";
};

/** What the status line of an answer proves. */
export const classify = (operation: Operation, answer: Answer, isDoubtful: IsDoubtful): Outcome => {
  const kind = kindOf(operation, answer.httpStatus, isDoubtful);
  return kind === "unknown"
    ? { kind, answer, reason: `the partner answered ${answer.httpStatus}` }
    : { kind, answer };
};
