import type { Answer } from "../../runtime/answer.ts";
import type { LoggedNotification, Quote, Subscription } from "../../types.ts";
import type { CreatedAtFormat } from "./created-at.ts";
import type { Refusal } from "./refusals.ts";

export type Stamp = (at: number) => string | number;

export type Accepted = {
  quoteId: string;
  /** Null where the sandbox has already forgotten it. */
  transactionId: string | null;
  acceptedAt: number;
  externalId: string | null;
};

/** The three fields that the specification names, as JSON values; a profile may add others. */
export type NotificationPayload = Record<string, unknown>;

export type Change = { transactionId: string; status: string; createdAt: number };

/** An entry of the log: a whole notification, or one attempt at it. */
export type LogEntry = {
  eventType: string;
  notification: LoggedNotification;
  sentAt: number;
  /** Null where the entry stands for the notification with all its attempts. */
  attempt: { nth: number; httpStatus: number | null } | null;
};

/** How an answer of the log looks. */
export type LogForm = {
  /** The whole answer, around the array of its entries; `hints` say whether there are more. */
  around(entries: unknown, hints: Record<string, unknown>, count: number): unknown;
  /** The fields of an entry beside the notification's. */
  about(entry: LogEntry, stamp: Stamp): Record<string, unknown>;
  /** The notification's own fields where they stand among the entry's. */
  flat(change: Change, stamp: Stamp): Record<string, unknown>;
  /** The field that holds the notification, and whether it usually does. */
  field: string;
  nests: boolean;
  /** The answer when there is no entry, where it differs from an empty array. */
  none?: () => Answer;
};

/** One plausible reading of everything that the specification does not show. */
export type AnswersProfile = {
  /** How identifiers look: UUIDs, or JSON numbers. */
  ids: "uuid" | "number";
  createdAt: CreatedAtFormat;
  created(quote: Quote, stamp: Stamp): Answer;
  accepted(accepted: Accepted, stamp: Stamp): Answer;
  subscribed(subscription: Subscription, stamp: Stamp): Answer;
  log: LogForm | "csv";
  refused(refusal: Refusal): Answer;
  notification(change: Change, stamp: Stamp): NotificationPayload;
};
