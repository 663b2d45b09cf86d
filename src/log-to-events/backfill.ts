import type { DigestKey } from "../notification/digest-table.ts";
import type { Notification } from "../notification/notification.ts";
import { occurredAtOf } from "../notification/occurred-at.ts";

/** Bounds the memory for payloads, in UTF-16 code units; and what a notification takes beside its payload, roughly. */
const [MAX_LENGTH, OVERHEAD_LENGTH] = [32 * 1_048_576, 1_000];

export type Missing = { key: DigestKey; notification: Notification };

/** Copies a substring, because it would keep the whole entry in memory. */
const copyOf = (text: string): string => Buffer.from(text).toString();
const instantOf = ({ notification }: Missing): number =>
  occurredAtOf(notification.createdAt) ?? Number.MAX_VALUE;
const textOf = ({ notification }: Missing): string => notification.createdAt;

/** A date with a local time has an order as text. */
const LOCAL = /^\d{4}-\d\d-\d\d/;
const byText = (a: string, b: string): number =>
  LOCAL.test(a) && LOCAL.test(b) ? Number(a > b) - Number(a < b) : 0;

/** Orders by age. What has no instant comes last, by its text where that has an order. */
const byTime = (a: Missing, b: Missing): number =>
  instantOf(a) - instantOf(b) || byText(textOf(a), textOf(b));

/**
 * Collects missing notifications until it is full; the caller reads the log again for the rest. A full one takes more
 * of the transactions that it holds, up to twice its size, because those of one transaction are published in order.
 */
export const backfillBatch = () => {
  const transactions = new Map<string, Missing[]>();
  let length = 0;
  return {
    hasRoomFor: ({ transactionId }: Notification): boolean =>
      length < MAX_LENGTH || (length < 2 * MAX_LENGTH && transactions.has(transactionId)),
    add: (key: DigestKey, { transactionId, status, createdAt, payload }: Notification): void => {
      length += payload.length + OVERHEAD_LENGTH;
      const id = copyOf(transactionId);
      const items = transactions.get(id) ?? [];
      transactions.set(id, items);
      const copies = { status: copyOf(status), createdAt: copyOf(createdAt), payload: copyOf(payload) };
      items.push({ key, notification: { transactionId: id, ...copies } });
    },
    byTransaction: (): Missing[][] => [...transactions.values()].map((items) => items.sort(byTime)),
  };
};

/** So many failures in a row mean that the whole topic takes no records, and not just single partitions. */
const MOST_FAILURES = 100;

/** Publishes transactions in several lanes, one after the other in each. Rejects at the end with the first error. */
export const inLanes = async (
  lanes: number,
  transactions: Missing[][],
  publish: (items: Missing[]) => Promise<void>,
): Promise<void> => {
  const errors: unknown[] = [];
  let failuresInARow = 0;
  const publishNext = async (): Promise<void> => {
    for (let next = transactions.pop(); next && failuresInARow < MOST_FAILURES; next = transactions.pop())
      try {
        await publish(next);
        failuresInARow = 0;
      } catch (error) {
        errors.push(error);
        failuresInARow += 1;
      }
  };
  await Promise.all(Array.from({ length: lanes }, publishNext));
  if (errors.length > 0) throw errors[0];
};
