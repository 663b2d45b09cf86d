import { hash } from "node:crypto";
import type { Command, Conclude, Identity } from "./types.ts";

/** The place of a record in Kafka. */
export type Coordinates = { topic: string; partition: number; offset: number };

const shortHash = (...parts: readonly (string | number)[]): string =>
  hash("sha256", parts.join("\n"), "hex").slice(0, 32);

/** Equal for every repetition of a command's result; a doubt and the final word that follows it differ. */
export const resultIdOf = (commandId: string, final: boolean): string =>
  shortHash(commandId, final ? "final" : "in-doubt");

/** Of a command that cannot name itself: its record's place in Kafka does. */
export const unnamedResultId = ({ topic, partition, offset }: Coordinates): string =>
  shortHash(topic, partition, offset);

/** What results say of a valid command. */
export const identityOf = ({ commandId, request }: Command): Identity => {
  const finalResultId = resultIdOf(commandId, true);
  return request.type === "AcceptQuote"
    ? {
        commandId,
        operation: "ACCEPT_QUOTE",
        quoteId: request.quoteId,
        externalId: request.externalId,
        finalResultId,
      }
    : { commandId, operation: "CREATE_QUOTE", quoteId: null, externalId: null, finalResultId };
};

/**
 * Puts results together.
 * @param options.findQuoteId finds the new quote's identifier in the answer of a create, where it is there to be found
 */
export const concludeWith =
  ({ findQuoteId }: { findQuoteId: (body: string | null) => string | null }): Conclude =>
  ({ identity, receivedAt, completedAt, attempts }, { outcome, error, decidedBy, answer }) => {
    const { commandId, operation, quoteId, externalId, finalResultId } = identity;
    const final = outcome !== "IN_DOUBT";
    const isCreated = operation === "CREATE_QUOTE" && outcome === "SUCCEEDED";
    return {
      resultId: final ? finalResultId : resultIdOf(commandId, false),
      commandId,
      operation,
      outcome,
      final,
      quoteId: isCreated ? findQuoteId(answer?.body ?? null) : quoteId,
      externalId,
      httpStatus: answer?.httpStatus ?? null,
      response: answer?.body ?? null,
      error,
      attempts,
      decidedBy,
      receivedAt,
      completedAt,
    };
  };
