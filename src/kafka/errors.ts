import { messageOf } from "../runtime/errors.ts";

/** The name that Kafka's protocol gives to an error, such as NOT_LEADER_FOR_PARTITION; empty when no broker said so. */
export const protocolErrorOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "";
  return "type" in error && typeof error.type === "string" ? error.type : protocolErrorOf(error.cause);
};

/** A record that was to be written cannot be encoded: a mistake of this program. */
export class EncodeError extends Error {
  override readonly name = "EncodeError";
  constructor(cause: unknown) {
    super(`a record cannot be encoded: ${messageOf(cause)}`, { cause });
  }
}

/** A batch will not be taken, however often it is sent: it is too large, or something is wrong with one of its records. */
export const isRefusedByBroker = (error: unknown): boolean =>
  error instanceof EncodeError ||
  /^(MESSAGE_TOO_LARGE|RECORD_LIST_TOO_LARGE|INVALID_RECORD)$/.test(protocolErrorOf(error));
