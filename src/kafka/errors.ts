import { messageOf } from "../runtime/errors.ts";
import { moduleOf } from "./replace-module.ts";

/**
 * The error code of Kafka's protocol, such as NOT_LEADER_FOR_PARTITION; empty when the error is not a
 * broker's answer.
 */
export const protocolErrorOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "";
  return "type" in error && typeof error.type === "string" ? error.type : protocolErrorOf(error.cause);
};

/** A record cannot be encoded: a bug of this program. */
export class EncodeError extends Error {
  override readonly name = "EncodeError";
  constructor(cause: unknown) {
    super(`a record cannot be encoded: ${messageOf(cause)}`, { cause });
  }
}

/** The broker will never accept this batch: it is too large, or one of its records is invalid. */
export const isRefusedByBroker = (error: unknown): boolean =>
  error instanceof EncodeError ||
  /^(MESSAGE_TOO_LARGE|RECORD_LIST_TOO_LARGE|INVALID_RECORD)$/.test(protocolErrorOf(error));

/** The exception that kafkajs throws for an error code of the protocol. */
export const errorOfCode = (code: number): Error =>
  (moduleOf("error") as { createErrorFromCode: (code: number) => Error }).createErrorFromCode(code);
