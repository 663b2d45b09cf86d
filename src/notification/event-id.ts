import { hash } from "node:crypto";

const EVENT_ID_DIGITS = 32;

/** The name of a notification, the same on every replica and by whichever way it arrives. Lower-case hex. */
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
