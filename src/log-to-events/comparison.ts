import { digestOf, type Digest } from "../runtime/digest.ts";
import { DigestTable, keyOf } from "../notification/digest-table.ts";
import { identityOf } from "../notification/identity.ts";
import {
  factsWith,
  NO_FACTS,
  packFacts,
  unpackFacts,
  type TransactionFacts,
} from "../notification/transaction-facts.ts";
import type { Notification } from "../notification/notification.ts";
import { occurredAtOf } from "../notification/occurred-at.ts";
import type { TransactionStatusUpdated } from "../records.ts";
import type { Period } from "./period.ts";

/**
 * `known`: an event of the notification was published. `missing`: none was found. `too young`: none was
 * found, but its webhook may still come.
 */
const STATES = ["known", "too young", "missing", "published", "refused"] as const;
type NotificationState = (typeof STATES)[number];

export type ComparisonOptions = {
  period: Period;
  /** Notifications whose instant is after this one are too young. */
  youngSinceMs: number;
  /** Whether the deduplication window holds an event with this identity. */
  seen: (identity: Digest) => boolean;
};

type PublishedEvent = Pick<
  TransactionStatusUpdated,
  "transactionId" | "status" | "createdAt" | "occurredAt" | "receivedAt" | "direction"
>;

/**
 * Compares the notifications of a period with the published events. Keeps digests only: 9 bytes a slot for a
 * notification, with at most 85 % of the slots used, and 16 for each transaction of which a notification was
 * not found in the deduplication window. Ten million notifications of 1.7 million transactions take 150 and
 * 34 MB.
 */
export const comparison = ({ period, youngSinceMs, seen }: ComparisonOptions) => {
  const states = new DigestTable(Uint8Array);
  const factsByTransaction = new DigestTable(Float64Array);
  const counts: Record<NotificationState, number> = {
    known: 0,
    "too young": 0,
    missing: 0,
    published: 0,
    refused: 0,
  };
  /** Missing notifications whose createdAt is no instant. */
  let undated = 0;
  let eventsOfPeriod = 0;

  const stateOf = (identity: Digest): NotificationState | undefined =>
    STATES[states.get(keyOf(identity)) ?? -1];
  const setState = (identity: Digest, state: NotificationState): void => {
    const before = stateOf(identity);
    if (before !== undefined) counts[before] -= 1;
    counts[state] += 1;
    states.set(keyOf(identity), STATES.indexOf(state));
  };
  const isOpen = (state: NotificationState | undefined): boolean =>
    state === "missing" || state === "too young";

  /** Null for a notification whose instant is outside the period. */
  const identify = (notification: Notification): { identity: Digest; occurredAt: number | null } | null => {
    const occurredAt = occurredAtOf(notification.createdAt);
    if (occurredAt !== null && (occurredAt < period.fromMs || occurredAt > period.toMs)) return null;
    return { identity: identityOf({ ...notification, occurredAt }), occurredAt };
  };

  return {
    counts: counts as Readonly<Record<NotificationState, number>>,
    undated: () => undated,
    eventsOfPeriod: () => eventsOfPeriod,

    /**
     * Adds a notification of the log; one that is listed several times counts once. False when it is outside
     * the period.
     */
    add: (notification: Notification): boolean => {
      const found = identify(notification);
      if (found === null) return false;
      const { identity, occurredAt } = found;
      if (stateOf(identity) !== undefined) return true;
      if (seen(identity)) {
        setState(identity, "known");
        return true;
      }
      if (occurredAt === null) undated += 1;
      setState(identity, occurredAt !== null && occurredAt > youngSinceMs ? "too young" : "missing");
      const transaction = keyOf(digestOf(notification.transactionId));
      if (factsByTransaction.get(transaction) === undefined)
        factsByTransaction.set(transaction, packFacts(NO_FACTS));
      return true;
    },

    /** Takes an event of the topic: its notification is known. */
    addEvent: (event: PublishedEvent): void => {
      const { transactionId, status } = event;
      const instantMs = event.occurredAt ?? event.receivedAt;
      if (instantMs >= period.fromMs && instantMs <= Math.min(period.toMs, youngSinceMs)) eventsOfPeriod += 1;
      const identity = identityOf(event);
      if (isOpen(stateOf(identity))) setState(identity, "known");
      if (undated > 0) {
        // A notification without createdAt is known by its transaction and status.
        const withoutDate = identityOf({ transactionId, status, createdAt: "", occurredAt: null });
        if (isOpen(stateOf(withoutDate))) setState(withoutDate, "known");
      }
      const transaction = keyOf(digestOf(transactionId));
      const facts = factsByTransaction.get(transaction);
      if (facts !== undefined)
        factsByTransaction.set(transaction, packFacts(factsWith(unpackFacts(facts), event)));
    },

    /** The identity of a notification that is missing; null for any other notification. */
    missing: (notification: Notification): Digest | null => {
      const identity = identify(notification)?.identity ?? null;
      return identity !== null && stateOf(identity) === "missing" ? identity : null;
    },
    /** The facts from the topic about a transaction with a missing notification. */
    factsOf: (transactionId: string): TransactionFacts => {
      const facts = factsByTransaction.get(keyOf(digestOf(transactionId)));
      return facts === undefined ? NO_FACTS : unpackFacts(facts);
    },
    setOutcome: setState,
  };
};

export type Comparison = ReturnType<typeof comparison>;
