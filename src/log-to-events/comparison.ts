import { hash } from "node:crypto";
import { identityOf } from "../notification/identity.ts";
import { knownWith, NOTHING_KNOWN, packKnown, unpackKnown, type Known } from "../notification/known.ts";
import type { Notification } from "../notification/notification.ts";
import { occurredAtOf } from "../notification/occurred-at.ts";
import type { TransactionStatusUpdated } from "../records.ts";
import { DigestMap } from "./digest-map.ts";
import type { Window } from "./period.ts";

/** What is known of a notification of the log. `missing`: no event of it was found. `too young`: none was found, and its webhook may still come. */
export type State = "known" | "too young" | "missing" | "published" | "refused";
const STATES = ["known", "too young", "missing", "published", "refused"] as const satisfies State[];

export type ComparisonOptions = {
  window: Window;
  /** Notifications that happened after this instant are too young. */
  youngSinceMs: number;
  /** Whether the event of this identity was published lately. */
  seen: (identity: string) => boolean;
};

type Told = Pick<
  TransactionStatusUpdated,
  "transactionId" | "status" | "createdAt" | "occurredAt" | "receivedAt" | "direction"
>;

const digestOf = (transactionId: string): string => hash("sha256", transactionId, "hex");

/**
 * What a run knows of the notifications of its window: 9 bytes for each slot, at most 70 % of the slots used, and 16 for each transaction with one
 * that was not known at once. Ten million notifications of 1.7 million transactions: 150 and 67 MB. Neither notifications nor events are kept.
 */
export const comparison = ({ window, youngSinceMs, seen }: ComparisonOptions) => {
  const states = new DigestMap(Uint8Array);
  const transactions = new DigestMap(Float64Array);
  const counts: Record<State, number> = { known: 0, "too young": 0, missing: 0, published: 0, refused: 0 };
  /** Notifications without an instant cannot be placed in time. */
  let undated = 0;
  let eventsOfWindow = 0;

  const stateOf = (identity: string): State | undefined => STATES[states.get(identity) ?? -1];
  const become = (identity: string, state: State): void => {
    const before = stateOf(identity);
    if (before !== undefined) counts[before] -= 1;
    counts[state] += 1;
    states.set(identity, STATES.indexOf(state));
  };
  const isOpen = (state: State | undefined): boolean => state === "missing" || state === "too young";

  /** Null where it happened outside of the window. */
  const placed = (notification: Notification): { identity: string; occurredAt: number | null } | null => {
    const occurredAt = occurredAtOf(notification.createdAt);
    if (occurredAt !== null && (occurredAt < window.fromMs || occurredAt > window.toMs)) return null;
    return { identity: identityOf({ ...notification, occurredAt }), occurredAt };
  };

  return {
    counts: counts as Readonly<Record<State, number>>,
    undated: () => undated,
    eventsOfWindow: () => eventsOfWindow,
    bytes: () => states.bytes + transactions.bytes,

    /** Of an entry of the log. False where its notification happened outside of the window. Attempts of one notification count once. */
    add: (notification: Notification): boolean => {
      const place = placed(notification);
      if (place === null) return false;
      const { identity, occurredAt } = place;
      if (stateOf(identity) !== undefined) return true;
      if (seen(identity)) {
        become(identity, "known");
        return true;
      }
      if (occurredAt === null) undated += 1;
      become(identity, occurredAt !== null && occurredAt > youngSinceMs ? "too young" : "missing");
      const transaction = digestOf(notification.transactionId);
      if (transactions.get(transaction) === undefined)
        transactions.set(transaction, packKnown(NOTHING_KNOWN));
      return true;
    },

    /** Of an event that stands in the topic. */
    found: (event: Told): void => {
      const { transactionId, status } = event;
      const happenedAt = event.occurredAt ?? event.receivedAt;
      if (happenedAt >= window.fromMs && happenedAt <= Math.min(window.toMs, youngSinceMs))
        eventsOfWindow += 1;
      const identity = identityOf(event);
      if (isOpen(stateOf(identity))) become(identity, "known");
      if (undated > 0) {
        // An entry without any createdAt is known by transaction and status.
        const dateless = identityOf({ transactionId, status, createdAt: "", occurredAt: null });
        if (isOpen(stateOf(dateless))) become(dateless, "known");
      }
      const transaction = digestOf(transactionId);
      const known = transactions.get(transaction);
      if (known !== undefined) transactions.set(transaction, packKnown(knownWith(unpackKnown(known), event)));
    },

    /** The identity of a notification that is missing; null for any other. */
    missing: (notification: Notification): string | null => {
      const identity = placed(notification)?.identity ?? null;
      return identity !== null && stateOf(identity) === "missing" ? identity : null;
    },
    /** What the topic tells of a transaction with a notification that is missing. */
    about: (transactionId: string): Known => {
      const known = transactions.get(digestOf(transactionId));
      return known === undefined ? NOTHING_KNOWN : unpackKnown(known);
    },
    settle: become,
  };
};

export type Comparison = ReturnType<typeof comparison>;
