import type { Notification } from "../notification/notification.ts";
import { occurredAtOf } from "../notification/occurred-at.ts";

/** Of payloads, in UTF-16 code units: more would be too much beside everything else in the process. */
const MAX_HELD = 32 * 1_048_576;
/** Of a notification, beside its payload. */
const OVERHEAD = 1_000;

type Held = { notification: Notification; occurredAt: number };

/** A text of its own: as a part of the entry it would keep the whole entry in memory. */
const own = (text: string): string => Buffer.from(text).toString();

/**
 * Holds notifications that are to be published. When it is full it takes more of those transactions only of which it has some: the statuses of one
 * are published in their order, and so by one turn; but no more than twice as much.
 */
export const holder = () => {
  const identities = new Set<string>();
  const transactions = new Map<string, Held[]>();
  let size = 0;
  return {
    add: (identity: string, notification: Notification): void => {
      const { transactionId, status, createdAt, payload } = notification;
      const held = transactions.get(transactionId);
      if (identities.has(identity) || size >= (held ? 2 * MAX_HELD : MAX_HELD)) return;
      identities.add(identity);
      size += payload.length + OVERHEAD;
      const copy = {
        notification: {
          transactionId: own(transactionId),
          status: own(status),
          createdAt: own(createdAt),
          payload: own(payload),
        },
        occurredAt: occurredAtOf(createdAt) ?? Number.MAX_VALUE,
      };
      if (held) held.push(copy);
      else transactions.set(copy.notification.transactionId, [copy]);
    },
    /** The notifications of each transaction, the oldest first; those without an instant last, in the order of their coming. */
    byTransaction: (): Notification[][] =>
      [...transactions.values()].map((held) =>
        held.sort((a, b) => a.occurredAt - b.occurredAt).map(({ notification }) => notification),
      ),
  };
};
