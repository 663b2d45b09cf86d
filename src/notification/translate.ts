import type { Source, TransactionStatusUpdated } from "../records.ts";
import { eventIdOf } from "./event-id.ts";
import type { TransactionFacts } from "./transaction-facts.ts";
import type { Notification } from "./notification.ts";
import { occurredAtOf } from "./occurred-at.ts";
import { meaningOf } from "./statuses.ts";

export type EventContext = {
  /** Milliseconds since the epoch. */
  receivedAt: number;
  source: Source;
  /** From earlier events of the same transaction. */
  facts: TransactionFacts;
  /** Masks own secrets, which the partner may repeat: such as the subscribed address, with its token. */
  mask: (payload: string) => string;
};

/** Builds the event of a notification. */
export const translate = (
  notification: Notification,
  { receivedAt, source, facts, mask }: EventContext,
): TransactionStatusUpdated => {
  const meaning = meaningOf(notification.status);
  const occurredAt = occurredAtOf(notification.createdAt);
  return {
    eventId: eventIdOf(notification),
    transactionId: notification.transactionId,
    status: notification.status,
    stage: meaning.stage,
    direction: meaning.proves === "UNKNOWN" ? facts.direction : meaning.proves,
    createdAt: notification.createdAt,
    occurredAt,
    receivedAt,
    source,
    outOfOrder: occurredAt !== null && facts.latestOccurredAt !== null && facts.latestOccurredAt > occurredAt,
    payload: mask(notification.payload),
  };
};
