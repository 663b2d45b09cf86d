import type { Answer } from "../../runtime/answer.ts";
import type { Change, LoggedNotification, Quote, Subscription } from "../../types.ts";
import type { CreatedAtFormat } from "./created-at.ts";
import type { Refusal } from "./refusals.ts";

/** Formats an instant for an answer. */
export type Stamp = (at: number) => string | number;

export type Accepted = {
  quoteId: string;
  /** Null when the sandbox no longer has the quote. */
  transactionId: string | null;
  acceptedAt: number;
  externalId: string | null;
};

/** An entry of the log: a notification, or one attempt to deliver it. */
export type LogEntry = {
  eventType: string;
  notification: LoggedNotification;
  sentAt: number;
  /** Null when the entry is a notification with all its attempts. */
  attempt: { nth: number; httpStatus: number | null } | null;
};

/** The form of the log's answer. */
export type LogForm = {
  /** The whole answer, with the array of entries; `hints` say whether there are more. */
  envelope(entries: unknown, hints: Record<string, unknown>, count: number): unknown;
  /** The fields of an entry beside the notification's. */
  entryFields(entry: LogEntry, stamp: Stamp): Record<string, unknown>;
  /** The notification's fields when they are fields of the entry. */
  flatFields(change: Change, stamp: Stamp): Record<string, unknown>;
  /** The field of an entry that holds the notification when it is nested. */
  notificationField: string;
  nestsByDefault: boolean;
  /** The answer without entries, if it is not an empty array. */
  emptyAnswer?: () => Answer;
};

/** One possible form of everything that the specification does not show. */
export type AnswersProfile = {
  ids: "uuid" | "number";
  createdAt: CreatedAtFormat;
  created(quote: Quote, stamp: Stamp): Answer;
  accepted(accepted: Accepted, stamp: Stamp): Answer;
  subscribed(subscription: Subscription, stamp: Stamp): Answer;
  log: LogForm | "csv";
  refused(refusal: Refusal): Answer;
  /** The three fields of the specification, as JSON values; a profile may add others. */
  notification(change: Change, stamp: Stamp): Record<string, unknown>;
};
