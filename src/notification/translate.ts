import type { Source, TransactionStatusUpdated } from "../records.ts";
import { eventIdOf } from "./event-id.ts";
import type { Known } from "./known.ts";
import type { Notification } from "./notification.ts";
import { occurredAtOf } from "./occurred-at.ts";
import { meaningOf } from "./statuses.ts";

export type Circumstances = {
  receivedAt: number;
  source: Source;
  /** What earlier events of the same transaction tell. */
  known: Known;
};

/** The event that a notification becomes. */
export const translate = (
  notification: Notification,
  circumstances: Circumstances,
): TransactionStatusUpdated => {
  const { known } = circumstances;
  const meaning = meaningOf(notification.status);
  const occurredAt = occurredAtOf(notification.createdAt);
  return {
    eventId: eventIdOf(notification),
    transactionId: notification.transactionId,
    status: notification.status,
    stage: meaning.stage,
    direction: meaning.proves === "UNKNOWN" ? known.direction : meaning.proves,
    createdAt: notification.createdAt,
    occurredAt,
    receivedAt: circumstances.receivedAt,
    source: circumstances.source,
    outOfOrder: occurredAt !== null && known.latestOccurredAt !== null && known.latestOccurredAt > occurredAt,
    payload: notification.payload,
  };
};
