import type { Answer, Outcome, PartnerRequest } from "../types.ts";

type Operation = PartnerRequest["operation"];
type AnswerKind = Exclude<Outcome["kind"], "notSent">;

/** Says of an HTTP status whether it leaves open, besides those that always do, if an accept was executed. */
export type IsDoubtful = (status: number) => boolean;

/** Proves that nothing was done, though the partner's address is wrong. Any other redirect may be the answer to what was executed. */
const MOVED = new Set([301, 307, 308]);
/** Who answers them mostly does not know what became of the request himself, as a gateway that waited in vain: 504. */
const ALWAYS_UNKNOWN = new Set([408, 425]);

/**
 * Statuses that prove nothing of an accept besides those that never do: 408, 425 and 5xx. No list takes those away.
 * @param entries statuses, and classes of them: `409`, `4xx`
 */
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
  // A second quotation does no harm. Of an accept, what HTTP does not define, or what is listed nowhere, proves nothing.
  return operation === "CREATE_QUOTE" || MOVED.has(status) || status >= 400 ? "refused" : "unknown";
};

/** What an answer proves. The status line alone decides. */
export const classify = (operation: Operation, answer: Answer, isDoubtful: IsDoubtful): Outcome => {
  const kind = kindOf(operation, answer.httpStatus, isDoubtful);
  return kind === "unknown"
    ? { kind, answer, reason: `the partner answered ${answer.httpStatus}` }
    : { kind, answer };
};
