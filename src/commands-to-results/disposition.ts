import type { Answer, Outcome } from "../partner/types.ts";
import type { DecidedBy, JournalOperation } from "../records.ts";
import { ownVerdict, type ErrorCode, type Verdict } from "./types.ts";

/** What follows from the outcome of a call. `verdictAtDeadline`: when no time is left for another attempt. */
export type Disposition =
  | { kind: "conclude"; verdict: Verdict }
  | { kind: "retry"; afterMs: number | null; verdictAtDeadline: Verdict };

type Kind = Outcome["kind"];
type Row<K extends Kind> = (outcome: Extract<Outcome, { kind: K }>, calls: number) => Disposition;
type Rows = { [K in Kind]: Row<K> };

const conclude = (verdict: Verdict): Disposition => ({ kind: "conclude", verdict });

const retry = (verdictAtDeadline: Verdict, afterMs: number | null = null): Disposition => ({
  kind: "retry",
  afterMs,
  verdictAtDeadline,
});

const succeeded = (answer: Answer): Disposition =>
  conclude({ outcome: "SUCCEEDED", error: null, decidedBy: "PARTNER", answer });

const failed = (code: ErrorCode, message: string, answer: Answer | null, decidedBy: DecidedBy): Verdict => ({
  ...ownVerdict("FAILED", code, message),
  decidedBy,
  answer,
});

const rejected = (message: string, answer: Answer): Disposition =>
  conclude({ ...ownVerdict("REJECTED", "PARTNER_REJECTED", message), decidedBy: "PARTNER", answer });

/** An accept that may have been executed is never sent again: IN_DOUBT, whatever time is left. */
const doubted = (code: ErrorCode, reason: string, answer: Answer | null): Disposition => {
  const message = `whether the quote was accepted is not known: ${reason}`;
  return conclude({ ...ownVerdict("IN_DOUBT", code, message), answer });
};

/** A second quote does no harm, so a create is called again: so often at most, and ever longer apart. */
export const MAX_CREATES = 10;
const FIRST_WAIT_MS = 250;

const createUnknown: Row<"unknown"> = ({ reason, answer }, calls) => {
  const verdict = failed(answer === null ? "ANSWER_LOST" : "PARTNER_UNAVAILABLE", reason, answer, "BRIDGE");
  if (calls >= MAX_CREATES) return conclude(verdict);
  return retry(verdict, Math.max(answer?.retryAfterMs ?? 0, FIRST_WAIT_MS * 2 ** (calls - 1)));
};

/** A new quote whose id was lost cannot be accepted, and another one would be lost the same way. */
const created: Row<"executed"> = ({ answer }) => {
  if (answer.body !== null || answer.quoteId !== undefined) return succeeded(answer);
  const message = `the rest of the partner's answer ${answer.httpStatus} was lost`;
  return conclude(failed("ANSWER_LOST", message, answer, "BRIDGE"));
};

/** These rows serve both operations. By 429 and 401 the partner itself says that nothing was done. */
const notDone: Omit<Rows, "executed" | "unclear" | "unknown"> = {
  refused: ({ answer }) => rejected(`the partner answered ${answer.httpStatus}`, answer),
  throttled: ({ answer }) => {
    const message = "the partner answered 429 (too many requests), and no time was left to try again";
    return retry(failed("PARTNER_THROTTLED", message, answer, "PARTNER"), answer.retryAfterMs);
  },
  unauthorized: ({ answer }) =>
    retry(failed("PARTNER_UNAUTHORIZED", "the partner refused the credentials", answer, "PARTNER")),
  notSent: ({ reason }) =>
    retry(failed("PARTNER_UNAVAILABLE", `no call could be sent: ${reason}`, null, "BRIDGE")),
};

const table = {
  ACCEPT_QUOTE: {
    ...notDone,
    executed: ({ answer }) => succeeded(answer),
    unclear: ({ reason, answer }) => doubted("ANSWER_UNCLEAR", reason, answer),
    unknown: ({ reason, answer }) => doubted("ANSWER_LOST", reason, answer),
  },
  CREATE_QUOTE: {
    ...notDone,
    executed: created,
    unclear: ({ reason, answer }) => rejected(reason, answer),
    unknown: createUnknown,
  },
} as const satisfies Record<JournalOperation, Rows>;

export const decide = (operation: JournalOperation, outcome: Outcome, calls: number): Disposition => {
  // The cast is safe: the row is the one of the outcome's kind.
  const row = table[operation][outcome.kind] as Row<Kind>;
  return row(outcome, calls);
};
