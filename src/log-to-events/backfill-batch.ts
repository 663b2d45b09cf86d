import type { DigestKey } from "../notification/digest-table.ts";
import type { Notification } from "../notification/notification.ts";
import { occurredAtOf } from "../notification/occurred-at.ts";

/** Bounds the memory for payloads, in UTF-16 code units. */
const MAX_LENGTH = 32 * 1_048_576;
/** What a notification takes beside its payload, roughly. */
const OVERHEAD_LENGTH = 1_000;

export type Missing = { key: DigestKey; notification: Notification };

/** Copies a substring: otherwise it keeps the whole entry in memory. */
const copyOf = (text: string): string => Buffer.from(text).toString();

/** The oldest first; what has no instant by the text of createdAt, behind the others. */
const byTime = ({ notification: a }: Missing, { notification: b }: Missing): number => {
  const [first, second] = [a, b].map(({ createdAt }) => occurredAtOf(createdAt) ?? Number.MAX_VALUE);
  return (first ?? 0) - (second ?? 0) || (a.createdAt < b.createdAt ? -1 : Number(a.createdAt > b.createdAt));
};

/**
 * Collects missing notifications until the batch is full; the caller reads the log again for the rest. A full
 * batch takes more of the transactions that it already holds, up to twice its size, because the statuses of one
 * transaction are published in order.
 */
export const backfillBatch = () => {
  const transactions = new Map<string, Missing[]>();
  let length = 0;
  let isFull = false;
  let firstAt: number | null = null;
  let lastAt: number | null = null;

  return {
    /** Whether a notification may be added. */
    hasRoomFor: ({ transactionId, createdAt }: Notification): boolean => {
      lastAt = occurredAtOf(createdAt) ?? lastAt;
      firstAt ??= lastAt;
      // Once full, it stays so: it may have passed over an older notification of a transaction.
      isFull ||= length >= MAX_LENGTH;
      return !isFull || (length < 2 * MAX_LENGTH && transactions.has(transactionId));
    },
    add: (key: DigestKey, notification: Notification): void => {
      const transactionId = copyOf(notification.transactionId);
      const status = copyOf(notification.status);
      const createdAt = copyOf(notification.createdAt);
      const payload = copyOf(notification.payload);
      length += payload.length + OVERHEAD_LENGTH;
      const items = transactions.get(transactionId) ?? [];
      transactions.set(transactionId, items);
      items.push({ key, notification: { transactionId, status, createdAt, payload } });
    },
    /** The notifications of each transaction, the oldest first; of two at one time, the one that a log from old to new shows first. */
    byTransaction: (): Missing[][] => {
      const isNewestFirst = (firstAt ?? 0) > (lastAt ?? 0);
      return [...transactions.values()].map((items) =>
        (isNewestFirst ? items.reverse() : items).sort(byTime),
      );
    },
  };
};
