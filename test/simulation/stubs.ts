import type { BuildResult, Verdict, Decide, Guard } from "../../src/commands-to-results/types.ts";
import type { Outcome } from "../../src/partner/types.ts";
import type { CommandResult } from "../../src/records.ts";

// Stubs for the pure functions around the journal. They share no code with the bridge.

const failed = (code: "PARTNER_UNAVAILABLE" | "PARTNER_THROTTLED", answer: Verdict["answer"]): Verdict => ({
  outcome: "FAILED",
  error: { code, message: code },
  decidedBy: "BRIDGE",
  answer,
});

export const guard: Guard = ({ expiresAt }, nowMs) =>
  expiresAt !== null && nowMs > expiresAt
    ? {
        outcome: "REJECTED",
        error: { code: "COMMAND_EXPIRED", message: "late" },
        decidedBy: "BRIDGE",
        answer: null,
      }
    : null;

export const decide: Decide = (operation, outcome: Outcome) => {
  switch (outcome.kind) {
    case "executed":
      return {
        kind: "conclude",
        verdict: { outcome: "SUCCEEDED", error: null, decidedBy: "PARTNER", answer: outcome.answer },
      };
    case "refused":
      return {
        kind: "conclude",
        verdict: {
          outcome: "REJECTED",
          error: { code: "PARTNER_REJECTED", message: "no" },
          decidedBy: "PARTNER",
          answer: outcome.answer,
        },
      };
    case "throttled":
    case "unauthorized":
      return {
        kind: "retry",
        afterMs: outcome.answer.retryAfterMs,
        verdictAtDeadline: failed("PARTNER_THROTTLED", outcome.answer),
      };
    case "notSent":
      return { kind: "retry", afterMs: null, verdictAtDeadline: failed("PARTNER_UNAVAILABLE", null) };
    case "unclear":
      throw new Error("the imitated partner does not answer so");
    case "unknown":
      if (operation === "CREATE_QUOTE")
        return {
          kind: "retry",
          afterMs: null,
          verdictAtDeadline: failed("PARTNER_UNAVAILABLE", outcome.answer),
        };
      return {
        kind: "conclude",
        verdict: {
          outcome: "IN_DOUBT",
          error: { code: "ANSWER_LOST", message: outcome.reason },
          decidedBy: "BRIDGE",
          answer: outcome.answer,
        },
      };
  }
};

export const finalResultId = (commandId: string): string => `${commandId}/final`;

export const buildResult: BuildResult = ({ identity, receivedAt, completedAt, attempts }, verdict) => {
  const { commandId, operation, quoteId, finalResultId: finalId } = identity;
  return {
    resultId: verdict.outcome === "IN_DOUBT" ? `${commandId}/in-doubt` : finalId,
    commandId,
    operation,
    outcome: verdict.outcome,
    final: verdict.outcome !== "IN_DOUBT",
    quoteId,
    externalId: null,
    httpStatus: verdict.answer?.httpStatus ?? null,
    response: verdict.answer?.body ?? null,
    error: verdict.error,
    attempts,
    decidedBy: verdict.decidedBy,
    receivedAt,
    completedAt,
  };
};

export const codec = {
  encode: (result: CommandResult): Buffer => Buffer.from(JSON.stringify(result)),
  decode: (value: Buffer): CommandResult => JSON.parse(value.toString()) as CommandResult,
};
