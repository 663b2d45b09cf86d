import type { Notification } from "../notification/notification.ts";
import type { Digest } from "../runtime/digest.ts";
import { occurredAtOf } from "../notification/occurred-at.ts";

/** Bounds the memory for payloads, in UTF-16 code units. */
const MAX_LENGTH = 32 * 1_048_576;
/** What a notification takes beside its payload, roughly. */
const OVERHEAD_LENGTH = 1_000;

type Item = { notification: Notification; occurredAt: number };

/** Copies a substring: otherwise it keeps the whole entry in memory. */
const copyOf = (text: string): string => Buffer.from(text).toString();

/**
 * Collects missing notifications until the batch is full; the caller reads the log again for the rest. A full
 * batch takes more of a transaction that it already holds, because the statuses of one transaction must be
 * published in order, up to twice its size.
 */
export const backfillBatch = () => {
  const identities = new Set<string>();
  const transactions = new Map<string, Item[]>();
  let length = 0;
  return {
    add: (identity: Digest, notification: Notification): void => {
      const { transactionId, status, createdAt, payload } = notification;
      const items = transactions.get(transactionId);
      if (identities.has(identity) || length >= (items ? 2 * MAX_LENGTH : MAX_LENGTH)) return;
      identities.add(identity);
      length += payload.length + OVERHEAD_LENGTH;
      const item = {
        notification: {
          transactionId: copyOf(transactionId),
          status: copyOf(status),
          createdAt: copyOf(createdAt),
          payload: copyOf(payload),
        },
        occurredAt: occurredAtOf(createdAt) ?? Number.MAX_VALUE,
      };
      if (items) items.push(item);
      else transactions.set(item.notification.transactionId, [item]);
    },
    /**
     * The notifications of each transaction, oldest first; those whose createdAt is no instant come last, in
     * the order of the log.
     */
    byTransaction: (): Notification[][] =>
      [...transactions.values()].map((items) =>
        items.sort((a, b) => a.occurredAt - b.occurredAt).map(({ notification }) => notification),
      ),
  };
};
