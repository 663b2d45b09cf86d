import type { Answer } from "../../runtime/answer.ts";
import type { Delivery, Quote, Subscription } from "../../types.ts";
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

/** One plausible reading of everything that the specification does not show. */
export type AnswersProfile = {
  /** How identifiers look: UUIDs, or JSON numbers. */
  ids: "uuid" | "number";
  createdAt: CreatedAtFormat;
  created(quote: Quote, stamp: Stamp): Answer;
  accepted(accepted: Accepted, stamp: Stamp): Answer;
  subscribed(subscription: Subscription, stamp: Stamp): Answer;
  log(entries: readonly Delivery[], stamp: Stamp): Answer;
  refused(refusal: Refusal): Answer;
  notification(
    change: { transactionId: string; status: string; createdAt: number },
    stamp: Stamp,
  ): NotificationPayload;
};
