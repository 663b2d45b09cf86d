import type { Answer, Outcome } from "../partner/types.ts";
import type {
  AcceptQuote,
  CommandOutcome,
  CommandResult,
  CreateQuote,
  DecidedBy,
  Operation,
} from "../records.ts";

/** A command that was read and breaks no rule of form. Instants are milliseconds since the Unix epoch. */
export type Command = {
  commandId: string;
  issuedAt: number;
  expiresAt: number | null;
  request: Request;
};

export type Request = ({ type: "CreateQuote" } & CreateQuote) | ({ type: "AcceptQuote" } & AcceptQuote);

/** Why a command did not succeed. Callers program against these: never rename one. */
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
  | "OWNER_LOST"
  | "OPERATOR_DECISION";

/** What a command comes to: everything about a result that is not a fact of the command itself. */
export type Verdict = {
  outcome: CommandOutcome;
  error: { code: ErrorCode; message: string } | null;
  decidedBy: DecidedBy;
  /** The partner's last answer, where there was one. */
  answer: Answer | null;
};

/** What to do after a call. `otherwise` is the verdict when there is no time left for another try. */
export type Disposition =
  { kind: "conclude"; verdict: Verdict } | { kind: "retry"; afterMs: number | null; otherwise: Verdict };

/** Decides from evidence alone what follows from a call's outcome. Pure and total. */
export type Decide = (operation: "CREATE_QUOTE" | "ACCEPT_QUOTE", outcome: Outcome) => Disposition;

/** A rejection, when the command must not be executed at `nowMs`; null when nothing stands against it. Pure. */
export type Guard = (command: Command, nowMs: number) => Verdict | null;

/** What a result says of its command, whether it could be executed or not. */
export type Identity = {
  /** Empty where it could not be read. */
  commandId: string;
  operation: Operation;
  quoteId: string | null;
  externalId: string | null;
  /** The resultId of the final result: the same at every repetition. */
  finalResultId: string;
};

/** Facts of a command's execution that a result repeats. */
export type Facts = {
  identity: Identity;
  /** When this replica took the command up, and when the verdict stood. */
  receivedAt: number;
  completedAt: number;
  /** Calls whose bytes left for the partner. */
  attempts: number;
};

/** Puts a result together. Pure. */
export type Conclude = (facts: Facts, verdict: Verdict) => CommandResult;
