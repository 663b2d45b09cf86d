import type { Source, TransactionStatusUpdated } from "../records.ts";
import { eventIdOf } from "./identity.ts";
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
  const { transactionId, status, createdAt } = notification;
  const { stage, proves } = meaningOf(status);
  const occurredAt = occurredAtOf(createdAt);
  return {
    eventId: eventIdOf(notification),
    transactionId,
    status,
    stage,
    direction: proves === "UNKNOWN" ? facts.direction : proves,
    createdAt,
    occurredAt,
    receivedAt,
    source,
    outOfOrder: occurredAt !== null && facts.latestOccurredAt !== null && facts.latestOccurredAt > occurredAt,
    payload: mask(notification.payload),
  };
};
