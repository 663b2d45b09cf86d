import type { Answer, Outcome } from "../partner/types.ts";
import type { JournalOperation } from "../records.ts";
import type { ErrorCode, Verdict } from "./types.ts";

/** What follows from the outcome of a call. `verdictAtDeadline`: when no time is left for another attempt. */
export type Disposition =
  | { kind: "conclude"; verdict: Verdict }
  | { kind: "retry"; afterMs: number | null; verdictAtDeadline: Verdict };

type Kind = Outcome["kind"];
type Row<K extends Kind> = (outcome: Extract<Outcome, { kind: K }>, calls: number) => Disposition;
type Rows = { [K in Kind]: Row<K> };

const succeeded = (answer: Answer): Verdict => ({
  outcome: "SUCCEEDED",
  error: null,
  decidedBy: "PARTNER",
  answer,
});

const failed = (code: ErrorCode, message: string, answer: Answer | null): Verdict => ({
  outcome: "FAILED",
  error: { code, message },
  // With 429 and 401 the partner itself says that nothing was done. The other failures are the bridge's
  // conclusion.
  decidedBy: code === "PARTNER_THROTTLED" || code === "PARTNER_UNAUTHORIZED" ? "PARTNER" : "BRIDGE",
  answer,
});

const conclude = (verdict: Verdict): Disposition => ({ kind: "conclude", verdict });

const retry = (verdictAtDeadline: Verdict, afterMs: number | null = null): Disposition => ({
  kind: "retry",
  afterMs,
  verdictAtDeadline,
});

const rejected = (message: string, answer: Answer): Disposition =>
  conclude({
    outcome: "REJECTED",
    error: { code: "PARTNER_REJECTED", message },
    decidedBy: "PARTNER",
    answer,
  });

const refused: Row<"refused"> = ({ answer }) => rejected(`the partner answered ${answer.httpStatus}`, answer);

const failedWithin2xx = ({ httpStatus }: Answer): string =>
  `the partner answered ${httpStatus}, and says in the body that it failed`;

const throttled: Row<"throttled"> = ({ answer }) =>
  retry(
    failed("PARTNER_THROTTLED", "the partner answered 429 until no time was left", answer),
    answer.retryAfterMs,
  );

const unauthorized: Row<"unauthorized"> = ({ answer }) =>
  retry(failed("PARTNER_UNAUTHORIZED", "the partner refused the credentials", answer));

const notSent: Row<"notSent"> = ({ reason }) =>
  retry(failed("PARTNER_UNAVAILABLE", `no call could be sent: ${reason}`, null));

/** An accept that may have been executed is never sent again: IN_DOUBT, whatever time is left. */
const doubted = (code: ErrorCode, reason: string, answer: Answer | null): Disposition =>
  conclude({
    outcome: "IN_DOUBT",
    error: { code, message: `whether the quote was accepted is not known: ${reason}` },
    decidedBy: "BRIDGE",
    answer,
  });

/** A second quote does no harm, so a create is called again: so often at most, and ever longer apart. */
const MAX_CREATES = 10;
const FIRST_WAIT_MS = 250;

const createUnknown: Row<"unknown"> = ({ reason, answer }, calls) => {
  const verdict = failed(answer === null ? "ANSWER_LOST" : "PARTNER_UNAVAILABLE", reason, answer);
  if (calls >= MAX_CREATES) return conclude(verdict);
  return retry(verdict, Math.max(answer?.retryAfterMs ?? 0, FIRST_WAIT_MS * 2 ** (calls - 1)));
};

/** Without body and quoteId the new quote cannot be accepted. Another one would be lost the same way. */
const created: Row<"executed"> = ({ answer }) =>
  answer.body === null && answer.quoteId === undefined
    ? conclude(
        failed("ANSWER_LOST", `the rest of the partner's answer ${answer.httpStatus} was lost`, answer),
      )
    : conclude(succeeded(answer));

const table = {
  ACCEPT_QUOTE: {
    executed: ({ answer }) => conclude(succeeded(answer)),
    unclear: ({ answer }) => doubted("ANSWER_UNCLEAR", failedWithin2xx(answer), answer),
    refused,
    throttled,
    unauthorized,
    notSent,
    unknown: ({ reason, answer }) => doubted("ANSWER_LOST", reason, answer),
  },
  CREATE_QUOTE: {
    executed: created,
    unclear: ({ answer }) => rejected(failedWithin2xx(answer), answer),
    refused,
    throttled,
    unauthorized,
    notSent,
    unknown: createUnknown,
  },
} as const satisfies Record<JournalOperation, Rows>;

/** The disposition of the outcome of the command's nth call (`calls`). Pure and total. */
export const decide = (operation: JournalOperation, outcome: Outcome, calls: number): Disposition => {
  // The cast is safe: the row is the one of the outcome's kind.
  const row = table[operation][outcome.kind] as Row<Kind>;
  return row(outcome, calls);
};
