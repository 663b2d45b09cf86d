import type { Answer, Outcome } from "../partner/types.ts";
import type { Decide, Disposition, ErrorCode, Verdict } from "./types.ts";

type Kind = Outcome["kind"];
type Operation = Parameters<Decide>[0];
type Row<K extends Kind> = (outcome: Extract<Outcome, { kind: K }>) => Disposition;
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

const refused: Row<"refused"> = ({ answer }) =>
  conclude({
    outcome: "REJECTED",
    error: { code: "PARTNER_REJECTED", message: `the partner answered ${answer.httpStatus}` },
    decidedBy: "PARTNER",
    answer,
  });

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
const doubted: Row<"unknown"> = ({ reason, answer }) =>
  conclude({
    outcome: "IN_DOUBT",
    error: { code: "ANSWER_LOST", message: `whether the quote was accepted is not known: ${reason}` },
    decidedBy: "BRIDGE",
    answer,
  });

/** A second quote does no harm, so a create is retried until the deadline. */
const createUnknown: Row<"unknown"> = ({ reason, answer }) =>
  retry(
    failed(answer === null ? "ANSWER_LOST" : "PARTNER_UNAVAILABLE", reason, answer),
    answer?.retryAfterMs ?? null,
  );

/** Without the body the quoteId is unknown and the quote cannot be accepted, so it is created again. */
const created: Row<"executed"> = ({ answer }) =>
  answer.body === null
    ? retry(failed("ANSWER_LOST", "the partner's answer was cut off", answer))
    : conclude(succeeded(answer));

const table = {
  ACCEPT_QUOTE: {
    executed: ({ answer }) => conclude(succeeded(answer)),
    refused,
    throttled,
    unauthorized,
    notSent,
    unknown: doubted,
  },
  CREATE_QUOTE: { executed: created, refused, throttled, unauthorized, notSent, unknown: createUnknown },
} as const satisfies Record<Operation, Rows>;

export const decide: Decide = (operation, outcome) => {
  const rows: Rows = table[operation];
  switch (outcome.kind) {
    case "executed":
      return rows.executed(outcome);
    case "refused":
      return rows.refused(outcome);
    case "throttled":
      return rows.throttled(outcome);
    case "unauthorized":
      return rows.unauthorized(outcome);
    case "notSent":
      return rows.notSent(outcome);
    case "unknown":
      return rows.unknown(outcome);
  }
};
