// Generated from schemas/*.avsc by `npm run generate`. Change the schemas, not this file.

/** One step of a command, in the log that decides which replica may call the partner. Internal to the bridge. Keyed by the quoteId of an accept, in one spelling, or by the commandId of whatever else. */
export type CommandJournalEntry = {
  /** Version of the rules by which this entry is folded. A replica that does not know it takes no commands: to guess could mean to buy twice. */
  version: number;
  /** Tells the key of an accept from an equal key of a create. A command that is refused for what it says has the key of a create, whatever it asks for. */
  operation: JournalOperation;
  /** The command that took the step. */
  commandId: string;
  /** What happened. */
  step:
    | { "cambio.bridge.v1.Claimed": Claimed }
    | { "cambio.bridge.v1.Released": Released }
    | { "cambio.bridge.v1.Concluded": Concluded }
    | { "cambio.bridge.v1.Published": Published };
};

/** What kind of key the entry has: CREATE_QUOTE a commandId, ACCEPT_QUOTE a quoteId. */
export type JournalOperation = "CREATE_QUOTE" | "ACCEPT_QUOTE";

/** A replica wants to make one call. It may, if the fold of the log up to and including this entry says that the key is held by this attempt. */
export type Claimed = {
  /** Names the one call that this claim allows. Never used for another. */
  attemptId: string;
  /** Digest of the command's content: another content under the same commandId is a mistake of the caller. */
  requestHash: string;
  /** The owner neither starts nor continues the call later than this many milliseconds after it began to append the claim. */
  callWithinMs: number;
  /** When the owner took the command up. */
  receivedAt: number;
  /** Calls of this command that had left for the partner before this claim, as far as the owner knows. */
  attempts: number;
  /** Creates only: the attempt of an owner that is thought dead. The claim counts only while that attempt still holds the key. */
  supersedes: string | null;
  /** Accepts only: the quoteId as the command spells it. The key is the same for all spellings of a quote. */
  quoteId: string | null;
};

/** The call of this attempt was not made, or did nothing; another may follow. */
export type Released = {
  /** The attempt that is over. */
  attemptId: string;
};

/** What a command came to, written before it is published. */
export type Concluded = {
  /** The attempt whose end this is; null when the command was decided without a claim. An operator names the attempt that is in doubt. */
  attemptId: string | null;
  /** Digest of the command's content. */
  requestHash: string;
  /** The outcome of the result, so that the fold need not decode it. */
  outcome: ConcludedOutcome;
  /** The resultId of the result. */
  resultId: string;
  /** The CommandResult exactly as it is published, in the wire format of the results topic. */
  result: Buffer;
  /** An operator's name and reason; null otherwise. */
  note: string | null;
  /** The trace that the command came with, for whoever publishes the result without having the command. */
  traceparent: string | null;
};

/** The outcome of the result. */
export type ConcludedOutcome = "SUCCEEDED" | "REJECTED" | "FAILED" | "IN_DOUBT";

/** A final result that came after a doubt is durable on the results topic. Until this entry is in the log any replica publishes it again. */
export type Published = {
  /** The resultId of the final result. */
  resultId: string;
};

/** What became of a command. Keyed by commandId. At most one result of a command is final; an IN_DOUBT may be followed by one final result. */
export type CommandResult = {
  /** First 32 hex digits of SHA-256 of commandId LF final, or commandId LF in-doubt; for a command that could not be read, of topic LF partition LF offset. Equal ids are the same result. */
  resultId: string;
  /** The command that this answers; empty when it could not be read. */
  commandId: string;
  /** What the command asked for; UNKNOWN when it could not be read. */
  operation: Operation;
  /** What became of it. */
  outcome: CommandOutcome;
  /** False for IN_DOUBT only. */
  final: boolean;
  /** The quotation that was to be accepted, or the one that was created where the partner's answer holds its identifier. */
  quoteId: string | null;
  /** The externalId of the command. */
  externalId: string | null;
  /** The transaction that the accept began, where the partner's answer names it: the transactionId of its events. */
  transactionId: string | null;
  /** HTTP status of the partner's last answer; null when there was none. */
  httpStatus: number | null;
  /** Body of the partner's last answer as received, bounded by PARTNER_MAX_RESPONSE_BYTES, secrets masked; null when there was none or it was cut off. */
  response: string | null;
  /** Null when SUCCEEDED. */
  error: Error | null;
  /** How many calls were sent to the partner. */
  attempts: number;
  /** Whose word it is: the partner answered, the bridge decided, or an operator did. */
  decidedBy: DecidedBy;
  /** When a replica took the command up. */
  receivedAt: number;
  /** When the outcome was decided. */
  completedAt: number;
};

/** What the command asked for. */
export type Operation = "CREATE_QUOTE" | "ACCEPT_QUOTE" | "UNKNOWN";

/** SUCCEEDED: done. REJECTED: not done, and this command will not be tried again. FAILED: not done, safe to send a new command. IN_DOUBT: may have been done; do not send it again and do not tell a customer that it failed. */
export type CommandOutcome = "SUCCEEDED" | "REJECTED" | "FAILED" | "IN_DOUBT";

/** Why a command did not succeed. */
export type Error = {
  /** A stable code, for programs. */
  code: string;
  /** A sentence, for people. Its wording may change. */
  message: string;
};

/** Whose word an outcome is. */
export type DecidedBy = "PARTNER" | "BRIDGE" | "OPERATOR";

/** An instruction to the foreign-exchange partner. Its result is published under the same commandId. */
export type Command = {
  /** Not empty, unique for all time. Sent again, it gets the same result again and never a second call. */
  commandId: string;
  /** When the caller decided on the command. Old commands are refused, see COMMANDS_MAX_AGE. */
  issuedAt: number;
  /** After this instant the command is not executed any more; null for no limit of its own. */
  expiresAt: number | null;
  /** What to do. */
  request: { "cambio.bridge.v1.CreateQuote": CreateQuote } | { "cambio.bridge.v1.AcceptQuote": AcceptQuote };
};

/** Ask the partner for a quotation. */
export type CreateQuote = {
  /** INBOUND or OUTBOUND. */
  direction: string;
  /** COMEX, PAYMENT_PROCESSING, CAPITAL_INCREASE, CRYPTO, or one of PARTNER_PURPOSES. */
  purpose: string;
  /** The amount to quote, a decimal number greater than zero in plain notation, such as 1234.50. */
  quotedAmount: string;
  /** ISO 4217 code of the currency to buy. */
  baseCurrencyIso: string;
  /** ISO 4217 code of the currency to sell. */
  quotedCurrencyIso: string;
};

/** Accept a quotation. This buys currency and cannot be undone. */
export type AcceptQuote = {
  /** The partner's identifier of the quotation. */
  quoteId: string;
  /** The partner's identifier of the counterparty that the quotation is accepted for. */
  counterpartyId: string;
  /** Amount in the foreign currency, needed by clients of the local quotation flow only. Reaches the partner as a JSON number with exactly these digits. */
  amount: string | null;
  /** The caller's own identifier of this acceptance, handed to the partner and repeated in the result. */
  externalId: string | null;
};

/** A foreign-exchange transaction changed its status. Keyed by transactionId; one notification has one eventId, however often and by whichever way it arrives. */
export type TransactionStatusUpdated = {
  /** Lower-case hex, the first 32 digits of SHA-256 over the UTF-8 bytes of transactionId LF status LF createdAt, each as sent, empty when absent. Equal ids are the same notification. */
  eventId: string;
  /** The partner's identifier of the transaction, as sent; a JSON number is kept as its text. */
  transactionId: string;
  /** The partner's status code, as sent. Codes that the bridge does not know pass unchanged. */
  status: string;
  /** The stage that the status belongs to; UNKNOWN for a code that the bridge does not know. */
  stage: Stage;
  /** INBOUND or OUTBOUND where this status, or an earlier one of the same transaction that the bridge remembers, proves it. */
  direction: Direction;
  /** When the partner says the status changed, as sent, whatever its form; a JSON number is kept as its text; empty when absent. */
  createdAt: string;
  /** createdAt as an instant, where it can be read without guessing a format or a time zone. */
  occurredAt: number | null;
  /** When the bridge received the notification. */
  receivedAt: number;
  /** WEBHOOK when the partner called, NOTIFICATION_LOG when the bridge found it in the partner's log. */
  source: Source;
  /** True when a status with a strictly later occurredAt was already published for this transaction; false where that is not known. */
  outOfOrder: boolean;
  /** The notification's JSON object exactly as received, so that fields that nobody knew of are not lost. */
  payload: string;
};

/** What a status means for somebody who does not know the partner's codes. */
export type Stage =
  "AWAITING_FUNDS" | "IN_PROGRESS" | "COMPLETED" | "ISSUE" | "CANCELED" | "REFUNDED" | "UNKNOWN";

/** Which way the money goes, seen from Brazil. */
export type Direction = "INBOUND" | "OUTBOUND" | "UNKNOWN";

/** How a notification reached the bridge. */
export type Source = "WEBHOOK" | "NOTIFICATION_LOG";
