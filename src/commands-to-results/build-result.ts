import { hash } from "node:crypto";
import type { Command, BuildResult, Identity } from "./types.ts";

export type Coordinates = { topic: string; partition: number; offset: number };

const shortHash = (...parts: readonly (string | number)[]): string =>
  hash("sha256", parts.join("\n"), "hex").slice(0, 32);

/** The same for every repetition of a result. IN_DOUBT and the final result after it have different ids. */
export const resultIdOf = (commandId: string, final: boolean): string =>
  shortHash(commandId, final ? "final" : "in-doubt");

/** For a command without a usable commandId: derived from the record's position in Kafka. */
export const unnamedResultId = ({ topic, partition, offset }: Coordinates): string =>
  shortHash(topic, partition, offset);

/** What every result of a valid command repeats. */
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

export const buildResult: BuildResult = (
  { identity, receivedAt, completedAt, attempts },
  { outcome, error, decidedBy, answer },
) => {
  const { commandId, operation, quoteId, externalId, finalResultId } = identity;
  const final = outcome !== "IN_DOUBT";
  const isCreated = operation === "CREATE_QUOTE" && outcome === "SUCCEEDED";
  return {
    resultId: final ? finalResultId : resultIdOf(commandId, false),
    commandId,
    operation,
    outcome,
    final,
    quoteId: isCreated ? (answer?.quoteId ?? null) : quoteId,
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
