import type { Answer, Outcome } from "../partner/types.ts";
import type {
  AcceptQuote,
  CommandOutcome,
  CommandResult,
  CreateQuote,
  DecidedBy,
  Operation,
} from "../records.ts";

/** A valid command. Instants are epoch milliseconds. */
export type Command = {
  commandId: string;
  issuedAt: number;
  expiresAt: number | null;
  request: Request;
};

export type Request = ({ type: "CreateQuote" } & CreateQuote) | ({ type: "AcceptQuote" } & AcceptQuote);

/** Why a command did not succeed. A public contract: never rename one. */
export type ErrorCode =
  | "INVALID_COMMAND"
  | "UNREADABLE_COMMAND"
  | "COMMAND_EXPIRED"
  | "COMMAND_TOO_OLD"
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

/**
 * What follows from the outcome of a call. `verdictAtDeadline` applies when no time is left for another
 * attempt.
 */
export type Disposition =
  | { kind: "conclude"; verdict: Verdict }
  | { kind: "retry"; afterMs: number | null; verdictAtDeadline: Verdict };

/** The disposition of the outcome of the command's nth call (`calls`). Pure and total. */
export type Decide = (
  operation: "CREATE_QUOTE" | "ACCEPT_QUOTE",
  outcome: Outcome,
  calls: number,
) => Disposition;

/** Returns a rejection if the command must not be executed at `nowMs`, else null. Pure. */
export type Guard = (command: Command, nowMs: number) => Verdict | null;

/** The fields of a result that identify its command. */
export type Identity = {
  /** Empty if it could not be read. */
  commandId: string;
  operation: Operation;
  quoteId: string | null;
  externalId: string | null;
  /** The resultId of the final result. */
  finalResultId: string;
};

/** Facts about a command's execution that go into its result. */
export type Facts = {
  identity: Identity;
  /** When this replica took the command up, and when the verdict was known (epoch milliseconds). */
  receivedAt: number;
  completedAt: number;
  /** Calls of which at least a part was sent to the partner. */
  attempts: number;
};

export type BuildResult = (facts: Facts, verdict: Verdict) => CommandResult;
