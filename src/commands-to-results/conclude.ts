import { hash } from "node:crypto";
import type { CommandResult } from "../records.ts";
import type { Unfit } from "./check.ts";
import type { Conclude } from "./types.ts";

/** The place of a record in Kafka. */
export type Coordinates = { topic: string; partition: number; offset: string };

const shortHash = (...parts: readonly (string | number)[]): string =>
  hash("sha256", parts.join("\n"), "hex").slice(0, 32);

/** Equal for every repetition of a command's result; a doubt and the final word that follows it differ. */
export const resultIdOf = (commandId: string, final: boolean): string =>
  shortHash(commandId, final ? "final" : "in-doubt");

/**
 * Puts results together.
 * @param options.findQuoteId finds the new quote's identifier in the answer of a create, where it is there to be found
 */
export const concludeWith =
  ({ findQuoteId }: { findQuoteId: (body: string | null) => string | null }): Conclude =>
  ({ command, receivedAt, completedAt, attempts }, { outcome, error, decidedBy, answer }) => {
    const { commandId, request } = command;
    const final = outcome !== "IN_DOUBT";
    const accept = request.type === "AcceptQuote" ? request : null;
    const created = outcome === "SUCCEEDED" ? findQuoteId(answer?.body ?? null) : null;
    return {
      resultId: resultIdOf(commandId, final),
      commandId,
      operation: accept ? "ACCEPT_QUOTE" : "CREATE_QUOTE",
      outcome,
      final,
      quoteId: accept ? accept.quoteId : created,
      externalId: accept ? accept.externalId : null,
      httpStatus: answer?.httpStatus ?? null,
      response: answer?.body ?? null,
      error,
      attempts,
      decidedBy,
      receivedAt,
      completedAt,
    };
  };

/**
 * The result of a command that broke a rule or could not be read. Its id comes from the commandId where the command was read and has
 * one, and from its place in Kafka otherwise.
 */
export const rejectedResult = (
  { code, message, commandId, operation, quoteId, externalId }: Unfit,
  facts: { coordinates: Coordinates; receivedAt: number; completedAt: number },
): CommandResult => {
  const { topic, partition, offset } = facts.coordinates;
  const known = code === "INVALID_COMMAND" && commandId !== "";
  return {
    resultId: known ? resultIdOf(commandId, true) : shortHash(topic, partition, offset),
    commandId,
    operation,
    outcome: "REJECTED",
    final: true,
    quoteId,
    externalId,
    httpStatus: null,
    response: null,
    error: { code, message },
    attempts: 0,
    decidedBy: "BRIDGE",
    receivedAt: facts.receivedAt,
    completedAt: facts.completedAt,
  };
};
