import type { Notification } from "../notification/notification.ts";
import { occurredAtOf } from "../notification/occurred-at.ts";

/** Bounds the memory for payloads, in UTF-16 code units; and what a notification takes beside its payload, roughly. */
const [MAX_LENGTH, OVERHEAD_LENGTH] = [32 * 1_048_576, 1_000];

/** Compares local times as if they were UTC. What is no instant comes last, in the order of the log. */
const orderOf = ({ createdAt }: Notification): number =>
  occurredAtOf(createdAt) ?? occurredAtOf(`${createdAt}Z`) ?? Number.MAX_VALUE;

/** A full batch still takes more of its transactions, up to twice its size: each is published in order. */
export const backfillBatch = () => {
  const transactions = new Map<string, Notification[]>();
  let length = 0;
  return {
    hasRoomFor: ({ transactionId }: Notification): boolean =>
      length < MAX_LENGTH || (length < 2 * MAX_LENGTH && transactions.has(transactionId)),
    add: (notification: Notification): void => {
      // Its texts are parts of the entry's, and would keep the whole entry in memory.
      const copy = structuredClone(notification);
      length += copy.payload.length + OVERHEAD_LENGTH;
      const others = transactions.get(copy.transactionId);
      if (others) others.push(copy);
      else transactions.set(copy.transactionId, [copy]);
    },
    /** Each transaction's notifications, oldest first. */
    byTransaction: (): Notification[][] =>
      [...transactions.values()].map((all) => all.sort((a, b) => orderOf(a) - orderOf(b))),
  };
};

/** So many failures in a row mean that the whole topic takes no records, and not just single partitions. */
const MOST_FAILURES = 100;

/** Publishes transactions in several lanes, one after the other in each. Rejects at the end with the first error. */
export const inLanes = async (
  lanes: number,
  transactions: Notification[][],
  publish: (notifications: Notification[]) => Promise<void>,
): Promise<void> => {
  const errors: unknown[] = [];
  let failuresInARow = 0;
  const queue = transactions.values();
  const publishNext = async (): Promise<void> => {
    for (const notifications of queue) {
      if (failuresInARow >= MOST_FAILURES) return;
      try {
        await publish(notifications);
        failuresInARow = 0;
      } catch (error) {
        errors.push(error);
        failuresInARow += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, publishNext));
  if (errors.length > 0) throw errors[0];
};
