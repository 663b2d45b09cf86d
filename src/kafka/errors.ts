import { moduleOf } from "./kafkajs-fixes/replace-module.ts";

/** The error code of Kafka's protocol, such as NOT_LEADER_FOR_PARTITION; empty where no broker has answered. */
export const protocolErrorOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "";
  return "type" in error && typeof error.type === "string" ? error.type : protocolErrorOf(error.cause);
};

const REFUSALS: Partial<Record<string, "refused" | "invalid">> = {
  MESSAGE_TOO_LARGE: "refused",
  RECORD_LIST_TOO_LARGE: "refused",
  INVALID_RECORD: "invalid",
  INVALID_TIMESTAMP: "invalid",
};

/** Why a broker refuses a batch as it is: a smaller part of it may be taken. Null for every other error. */
export const brokerRefusal = (error: unknown): "refused" | "invalid" | null =>
  REFUSALS[protocolErrorOf(error)] ?? null;

const REQUEST_REFUSED =
  /_AUTHORIZATION_FAILED$|^(UNSUPPORTED_VERSION|INVALID_REQUEST|POLICY_VIOLATION|UNKNOWN(_TOPIC_OR_PARTITION)?)$/;

/** The broker answers that it will not or cannot serve this request: for want of a right, the feature, or the topic. */
export const isRequestRefused = (error: unknown): boolean =>
  REQUEST_REFUSED.test(protocolErrorOf(error)) ||
  (error instanceof Error && error.name === "KafkaJSServerDoesNotSupportApiKey");

export const errorOfCode = (code: number): Error =>
  (moduleOf("error") as { createErrorFromCode: (code: number) => Error }).createErrorFromCode(code);

/** When no broker answers a request for metadata, kafkajs reads a property of null. */
export const metadataError = (error: unknown): unknown =>
  error instanceof TypeError && /\bnull\b/.test(error.message)
    ? new Error("no broker answered the request for metadata")
    : error;
