import type { Direction, Source, TransactionStatusUpdated } from "../records.ts";
import { eventIdOf } from "./event-id.ts";
import { occurredAtOf } from "./occurred-at.ts";
import type { Notification } from "./parse.ts";
import { meaningOf } from "./statuses.ts";

/** What earlier events of the same transaction, within the window, tell about it. */
export type Known = {
  /** The direction that one of them proved. */
  direction: Direction;
  /** The latest occurredAt among them, null when none had one. */
  latestOccurredAt: number | null;
};

export type Circumstances = { receivedAt: number; source: Source; known: Known };

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
