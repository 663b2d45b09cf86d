import type { Notification } from "../notification/notification.ts";
import type { Digest } from "../runtime/digest.ts";
import { compareSortKeys, logOrder, sortKeyOf, type SortKey } from "./log-order.ts";

/** Bounds the memory for payloads, in UTF-16 code units. */
const MAX_LENGTH = 32 * 1_048_576;
/** What a notification takes beside its payload, roughly. */
const OVERHEAD_LENGTH = 1_000;

type Item = { notification: Notification; key: SortKey };

/** Copies a substring: otherwise it keeps the whole entry in memory. */
const copyOf = (text: string): string => Buffer.from(text).toString();

const lengthOf = ({ payload }: Notification): number => payload.length + OVERHEAD_LENGTH;

/**
 * Collects missing notifications until the batch is full; the caller reads the log again for the rest. A full
 * batch takes more of a transaction that it already holds, because the statuses of one transaction must be
 * published in order. When it has twice its size, it leaves such a transaction out instead, for a later batch;
 * only the last one that it holds is cut.
 */
export const backfillBatch = () => {
  const order = logOrder();
  const identities = new Set<string>();
  /** Null: left out. */
  const transactions = new Map<string, Item[] | null>();
  let held = 0;
  let length = 0;
  let isFull = false;

  const leaveOut = (transactionId: string, items: readonly Item[]): void => {
    transactions.set(transactionId, null);
    held -= 1;
    for (const { notification } of items) length -= lengthOf(notification);
  };
  return {
    /** Takes each notification that the log shows, because ties are published in the log's order. */
    shown: ({ createdAt }: Notification): void => {
      order.next(createdAt);
    },
    add: (identity: Digest, notification: Notification): void => {
      const { transactionId, status, createdAt, payload } = notification;
      const items = transactions.get(transactionId);
      if (identities.has(identity) || items === null) return;
      // Once full, it stays so: it may have passed over an older notification of a transaction.
      isFull ||= length >= MAX_LENGTH;
      if (isFull && items === undefined) return;
      if (items !== undefined && length >= 2 * MAX_LENGTH) {
        if (held > 1) leaveOut(transactionId, items);
        return;
      }
      identities.add(identity);
      length += lengthOf(notification);
      const item = {
        notification: {
          transactionId: copyOf(transactionId),
          status: copyOf(status),
          createdAt: copyOf(createdAt),
          payload: copyOf(payload),
        },
        key: sortKeyOf(copyOf(createdAt)),
      };
      if (items !== undefined) items.push(item);
      else {
        transactions.set(item.notification.transactionId, [item]);
        held += 1;
      }
    },
    /**
     * The notifications of each transaction, oldest first; those whose createdAt is no instant come last. Where
     * createdAt does not tell which is older, the log's order does.
     */
    byTransaction: (): Notification[][] => {
      const isNewestFirst = order.isNewestFirst();
      return [...transactions.values()]
        .filter((items) => items !== null)
        .map((items) => {
          const inLogOrder = isNewestFirst ? items.reverse() : items;
          return inLogOrder.sort((a, b) => compareSortKeys(a.key, b.key)).map((item) => item.notification);
        });
    },
  };
};
