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

/** The broker answers that it will not or cannot serve this request: for want of a right, of the feature, or of the topic. */
export const isRequestRefused = (error: unknown): boolean =>
  /_AUTHORIZATION_FAILED$|^(UNSUPPORTED_VERSION|INVALID_REQUEST|POLICY_VIOLATION|UNKNOWN_TOPIC_OR_PARTITION|UNKNOWN)$/.test(
    protocolErrorOf(error),
  ) ||
  (error instanceof Error && error.name === "KafkaJSServerDoesNotSupportApiKey");

/** The exception that kafkajs throws for an error code of the protocol. */
export const errorOfCode = (code: number): Error =>
  (moduleOf("error") as { createErrorFromCode: (code: number) => Error }).createErrorFromCode(code);

/** When no broker answers a request for metadata, kafkajs reads a property of null. */
export const metadataError = (error: unknown): unknown =>
  error instanceof TypeError && /\bnull\b/.test(error.message)
    ? new Error("no broker answered the request for metadata")
    : error;
