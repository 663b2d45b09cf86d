import { hash } from "node:crypto";

const EVENT_ID_DIGITS = 32;

/**
 * The eventId: a digest of the notification's texts, in lower-case hex. The same on every replica and in both
 * flows.
 */
export const eventIdOf = (notification: {
  transactionId: string;
  status: string;
  createdAt: string;
}): string =>
  hash(
    "sha256",
    `${notification.transactionId}\n${notification.status}\n${notification.createdAt}`,
    "hex",
  ).slice(0, EVENT_ID_DIGITS);
