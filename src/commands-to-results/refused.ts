import type { Operation } from "../records.ts";

/** A command that is not executed because of what it says, or because it cannot be read. */
export type Refused = {
  ok: false;
  /** INVALID_COMMAND: it was read and breaks a rule. UNREADABLE_COMMAND: it could not be read. */
  code: "INVALID_COMMAND" | "UNREADABLE_COMMAND";
  /** Names the field; repeats no value of it. */
  message: string;
  /** Empty where it could not be found, or is not one. */
  commandId: string;
  operation: Operation;
  quoteId: string | null;
  externalId: string | null;
  /**
   * The `requestHash` that it would have as a valid command. Only where nothing but the lists of allowed values refuses it: they are settings,
   * so that the same command may be valid when it is delivered again.
   */
  requestHash: string | null;
};

/** What a decoder says may name a schema's fields, of any length, and a result has to fit into its topic. */
const MAX_MESSAGE_LENGTH = 1_000;

/** @param commandId where it could still be found */
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
