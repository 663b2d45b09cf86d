import { hash } from "node:crypto";
import type { CommandResult } from "../records.ts";
import type { Identity, Verdict } from "./types.ts";

type ResultFacts = {
  identity: Identity;
  /** When this replica took the command up, and when the verdict was known (epoch milliseconds). */
  receivedAt: number;
  completedAt: number;
  /** Calls of which at least a part was sent to the partner. */
  attempts: number;
};

const shortHash = (...parts: readonly (string | number)[]): string =>
  hash("sha256", parts.join("\n"), "hex").slice(0, 32);

/** Each repetition of a result has one id. IN_DOUBT and the final result after it have different ones. */
export const resultIdOf = (commandId: string, final: boolean): string =>
  shortHash(commandId, final ? "final" : "in-doubt");

/** Names the result of a command without a usable commandId by the record's position in Kafka. */
export const unnamedResultId = (record: { topic: string; partition: number; offset: number }): string =>
  shortHash(record.topic, record.partition, record.offset);

export const buildResult = (
  { identity, receivedAt, completedAt, attempts }: ResultFacts,
  { outcome, error, decidedBy, answer }: Verdict,
): CommandResult => {
  const { commandId, operation, quoteId, externalId } = identity;
  const final = outcome !== "IN_DOUBT";
  const isCreated = operation === "CREATE_QUOTE" && outcome === "SUCCEEDED";
  // A refusal may name the transaction of another accept.
  const mayNameTransaction =
    operation === "ACCEPT_QUOTE" && (outcome === "SUCCEEDED" || outcome === "IN_DOUBT");
  return {
    resultId: identity.resultId ?? resultIdOf(commandId, final),
    commandId,
    operation,
    outcome,
    final,
    quoteId: isCreated ? (answer?.quoteId ?? null) : quoteId,
    externalId,
    transactionId: mayNameTransaction ? (answer?.transactionId ?? null) : null,
    httpStatus: answer?.httpStatus ?? null,
    response: answer?.body ?? null,
    fields: answer?.fields ?? {},
    error,
    attempts,
    decidedBy,
    receivedAt,
    completedAt,
  };
};
