import type { Notification } from "../notification/notification.ts";
import { occurredAtOf } from "../notification/occurred-at.ts";

/** Of payloads, in UTF-16 code units: more would be too much beside everything else in the process. */
const MAX_HELD = 32 * 1_048_576;
/** Of a notification, beside its payload. */
const OVERHEAD = 1_000;

const NEVER = Number.POSITIVE_INFINITY;
const instantOf = ({ createdAt }: Notification): number => occurredAtOf(createdAt) ?? NEVER;

/**
 * Holds notifications that are to be published. When it is full it takes more of those transactions only of which it has some: the statuses of one
 * are published in their order, and so by one turn.
 */
export const holder = () => {
  const transactions = new Map<string, Notification[]>();
  let size = 0;
  return {
    add: (notification: Notification): void => {
      const { transactionId, payload } = notification;
      const held = transactions.get(transactionId);
      if (!held && size >= MAX_HELD) return;
      size += payload.length + OVERHEAD;
      if (held) held.push(notification);
      else transactions.set(transactionId, [notification]);
    },
    /** The notifications of each transaction, the oldest first; those without an instant last, in the order of their coming. */
    byTransaction: (): Notification[][] =>
      [...transactions.values()].map((held) => held.sort((a, b) => instantOf(a) - instantOf(b) || 0)),
  };
};
