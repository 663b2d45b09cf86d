import { hash } from "node:crypto";
import type { Direction, Source, Stage, TransactionStatusUpdated } from "../records.ts";
import { fieldsIn, type NamedField } from "../runtime/json-pointer.ts";
import type { TransactionFacts } from "./transaction-facts.ts";
import type { Notification } from "./notification.ts";
import { occurredAtOf } from "./occurred-at.ts";

/** What a status means for its transaction. `proves` is UNKNOWN for a status of both directions. */
type StatusMeaning = { readonly stage: Stage; readonly proves: Direction };

/** docs/events.md has the same table. */
export const KNOWN_STATUSES = {
  AWAITING_PAYMENT: { stage: "AWAITING_FUNDS", proves: "OUTBOUND" },
  AWAITING_MONEY_ORDER: { stage: "AWAITING_FUNDS", proves: "INBOUND" },
  PAYMENT_CONFIRMED: { stage: "IN_PROGRESS", proves: "OUTBOUND" },
  SETTLEMENT_IN_PROGRESS: { stage: "IN_PROGRESS", proves: "OUTBOUND" },
  TRANSACTION_IN_PROGRESS: { stage: "IN_PROGRESS", proves: "INBOUND" },
  CONTRACT_IN_PROGRESS: { stage: "IN_PROGRESS", proves: "UNKNOWN" },
  REGISTERED_TRANSACTION: { stage: "IN_PROGRESS", proves: "UNKNOWN" },
  TRANSACTION_COMPLETED: { stage: "COMPLETED", proves: "UNKNOWN" },
  PAYMENT_ISSUE: { stage: "ISSUE", proves: "OUTBOUND" },
  TRANSACTION_DOCUMENT_ISSUE: { stage: "ISSUE", proves: "OUTBOUND" },
  INVALID_PROOF_OF_PAYMENT: { stage: "ISSUE", proves: "OUTBOUND" },
  SETTLEMENT_ISSUE: { stage: "ISSUE", proves: "UNKNOWN" },
  CANCELED: { stage: "CANCELED", proves: "UNKNOWN" },
  REFUNDED: { stage: "REFUNDED", proves: "OUTBOUND" },
} as const satisfies Record<string, StatusMeaning>;

// A Map, because the key is the partner's text: an object also has members such as "constructor".
const MEANINGS: ReadonlyMap<string, StatusMeaning> = new Map(Object.entries(KNOWN_STATUSES));
const UNKNOWN_STATUS: StatusMeaning = { stage: "UNKNOWN", proves: "UNKNOWN" };

export const meaningOf = (status: string): StatusMeaning => MEANINGS.get(status) ?? UNKNOWN_STATUS;

const EVENT_ID_DIGITS = 32;

/** Returns a digest of the notification's texts in lower-case hex, which every replica and both flows make alike. */
export const eventIdOf = ({ transactionId, status, createdAt }: Omit<Notification, "payload">): string =>
  hash("sha256", `${transactionId}\n${status}\n${createdAt}`, "hex").slice(0, EVENT_ID_DIGITS);

export type EventContext = {
  /** Milliseconds since the epoch. */
  receivedAt: number;
  source: Source;
  facts: TransactionFacts;
  /** Masks own secrets, which the partner may repeat: such as the subscribed address, with its token. */
  mask: (payload: string) => string;
  /** The members of the payload that go into the event's `fields`. */
  eventFields: readonly NamedField[];
};

export const translate = (
  notification: Notification,
  { receivedAt, source, facts, mask, eventFields }: EventContext,
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
    // A createdAt that is no instant can be any JSON, so it is masked like the payload.
    createdAt: occurredAt === null ? mask(createdAt) : createdAt,
    occurredAt,
    receivedAt,
    source,
    outOfOrder: occurredAt !== null && facts.latestOccurredAt !== null && facts.latestOccurredAt > occurredAt,
    payload: mask(notification.payload),
    fields: fieldsIn(notification.payload, eventFields, mask),
  };
};
