import type { Operation } from "../records.ts";

/** A command that is invalid or cannot be read, and is not executed. */
export type Refused = {
  ok: false;
  /** INVALID_COMMAND: it was read and breaks a rule. UNREADABLE_COMMAND: it could not be read. */
  code: "INVALID_COMMAND" | "UNREADABLE_COMMAND";
  /** Names the field, never its value. */
  message: string;
  /** Empty if it could not be found or is itself invalid. */
  commandId: string;
  operation: Operation;
  quoteId: string | null;
  externalId: string | null;
  /**
   * The `requestHash` it would have as a valid command. Null unless only a list of allowed values refuses it:
   * the lists are settings, so the same command may be valid when it is delivered again.
   */
  requestHash: string | null;
};

/** Decoder messages may quote schema field names of any length; the result must fit into its topic. */
const MAX_MESSAGE_LENGTH = 1_000;

/** @param commandId empty if it could not be found */
export const unreadable = (message: string, commandId = ""): Refused => ({
  ok: false,
  code: "UNREADABLE_COMMAND",
  message: message.slice(0, MAX_MESSAGE_LENGTH),
  commandId,
  operation: "UNKNOWN",
  quoteId: null,
  externalId: null,
  requestHash: null,
});
