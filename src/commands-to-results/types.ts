import type { Answer } from "../partner/types.ts";
import type { AcceptQuote, Command as CommandRecord, CommandOutcome } from "../records.ts";
import type { CreateQuote, DecidedBy, Operation } from "../records.ts";

/** A valid command. Instants are epoch milliseconds. */
export type Command = Omit<CommandRecord, "request"> & { request: Request };

export type Request = ({ type: "CreateQuote" } & CreateQuote) | ({ type: "AcceptQuote" } & AcceptQuote);

/** Why a command did not succeed. A public contract: never rename one. */
export type ErrorCode =
  | "INVALID_COMMAND"
  | "UNREADABLE_COMMAND"
  | "COMMAND_EXPIRED"
  | "COMMAND_TOO_OLD"
  | "AMOUNT_ABOVE_LIMIT"
  | "COMMAND_ID_REUSED"
  | "QUOTE_ALREADY_TAKEN"
  | "PARTNER_REJECTED"
  | "PARTNER_UNAUTHORIZED"
  | "PARTNER_UNAVAILABLE"
  | "PARTNER_THROTTLED"
  | "ANSWER_LOST"
  | "ANSWER_UNCLEAR"
  | "OWNER_LOST"
  | "OPERATOR_DECISION";

/** How a command ends: the part of a result that does not follow from the command itself. */
export type Verdict = {
  outcome: CommandOutcome;
  error: { code: ErrorCode; message: string } | null;
  decidedBy: DecidedBy;
  /** The partner's last answer, if any. */
  answer: Answer | null;
};

export const ownVerdict = (outcome: CommandOutcome, code: ErrorCode, message: string): Verdict => ({
  outcome,
  error: { code, message },
  decidedBy: "BRIDGE",
  answer: null,
});

export type Guard = (command: Command, nowMs: number) => Verdict | null;

export type Identity = {
  /** Empty if it could not be read. */
  commandId: string;
  operation: Operation;
  quoteId: string | null;
  externalId: string | null;
  /** The result's id; absent where it follows from the commandId. */
  resultId?: string;
};
