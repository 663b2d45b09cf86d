import { DigestTable, keyOf, type DigestKey } from "../notification/digest-table.ts";
import type { Notification } from "../notification/notification.ts";
import { occurredAtOf } from "../notification/occurred-at.ts";
import { eventIdentity, type StatusChange } from "../notification/event-window.ts";
import { factsWith, NO_FACTS, packFacts, unpackFacts } from "../notification/transaction-facts.ts";
import type { TransactionFacts } from "../notification/transaction-facts.ts";
import type { TransactionStatusUpdated } from "../records.ts";
import { digestOf, wordOf, type Digest } from "../runtime/digest.ts";
import type { Period } from "./period.ts";

/** `missing`: the topic has no event of it. `tooYoung`: its webhook may still come. `taken`: the run deals with it. */
const STATES = ["known", "tooYoung", "missing", "taken"] as const;
type State = (typeof STATES)[number];

/** A notification as it is kept. `instant` is 0 where it has none. */
type Entry = { key: DigestKey; instant: number; state: State };

/** If so many are missing and none is known, although the topic has events of the period, the form must differ. */
const SUSPICIOUS_COUNT = 20;
/** A log may cut its instants to seconds. */
const SAME_WITHIN_MS = 1_000;

const statusKey = ({ transactionId, status }: StatusChange): DigestKey =>
  keyOf(digestOf(`${transactionId}\n${status}`));
const transactionKey = (transactionId: string): DigestKey => keyOf(digestOf(transactionId));

/** A key for a transaction and status at one second: one digest for all seconds, because digests cost most here. */
const keyAtSecond = ({ first, second }: DigestKey, unixSecond: number): DigestKey => ({
  first: (first ^ Math.imul(unixSecond, 0x9e3779b1)) >>> 0 || 1,
  second: (second + Math.imul(unixSecond, 0x85ebca6b)) >>> 0,
});
/** The key of an instant's second, or of the text of a createdAt that is no instant. */
const keyAt = (status: DigestKey, occurredAt: number | null, createdAt: string): DigestKey =>
  keyAtSecond(status, occurredAt === null ? wordOf(digestOf(createdAt), 0) : Math.floor(occurredAt / 1_000));

type ComparisonOptions = {
  /** Masks own secrets, which the events hold masked, too. */
  mask: (text: string) => string;
  /** How many are kept, since the partner's log may hold any number of them. */
  mostNotifications: number;
  isInWindow: (identity: Digest) => boolean;
};

/**
 * Keeps digests only: up to 60 bytes for each notification, nothing of other events.
 * @param youngSinceMs notifications whose instant is after this one are too young
 */
export const createComparison = (
  period: Period,
  youngSinceMs: number,
  { mask, mostNotifications, isInWindow }: ComparisonOptions,
) => {
  const notifications = new DigestTable(Float64Array);
  /** Transactions with statuses: 1 where the topic has an event of the two. */
  const statuses = new DigestTable(Uint8Array);
  const factsByTransaction = new DigestTable(Float64Array);
  const counts: Record<State, number> = { known: 0, tooYoung: 0, missing: 0, taken: 0 };
  let hasUndated = false;
  let isCut = false;
  let eventsOfPeriod = 0;

  const add = ({ key, instant, state }: Entry): void => {
    counts[state] += 1;
    notifications.set(key, instant * STATES.length + STATES.indexOf(state));
  };
  const setState = (entry: Entry, state: State): void => {
    counts[entry.state] -= 1;
    add({ ...entry, state });
  };
  const get = (key: DigestKey): Entry | null => {
    const packed = notifications.get(key);
    if (packed === undefined) return null;
    const instant = Math.floor(packed / STATES.length);
    return { key, instant, state: STATES[packed - instant * STATES.length] ?? "known" };
  };
  const sameAs = ({ createdAt, occurredAt }: StatusChange, status: DigestKey): Entry[] => {
    const offsets = occurredAt === null ? [0] : [0, -SAME_WITHIN_MS, SAME_WITHIN_MS];
    return offsets
      .map((offsetMs) => get(keyAt(status, occurredAt === null ? null : occurredAt + offsetMs, createdAt)))
      .filter((entry) => entry !== null)
      .filter(({ instant }) => occurredAt === null || Math.abs(instant - occurredAt) <= SAME_WITHIN_MS);
  };

  const changeInPeriod = ({ transactionId, status, createdAt }: Notification): StatusChange | null => {
    const occurredAt = occurredAtOf(createdAt);
    // An event holds a createdAt that is no instant as masked text.
    if (occurredAt === null) return { transactionId, status, createdAt: mask(createdAt), occurredAt };
    const isInPeriod = occurredAt >= period.fromMs && occurredAt <= period.toMs;
    return isInPeriod ? { transactionId, status, createdAt, occurredAt } : null;
  };

  return {
    counts: counts as Readonly<Record<State, number>>,
    hasUndated: () => hasUndated,
    /** Whether the log holds more notifications than are kept: the others are neither compared nor published. */
    isCut: () => isCut,

    /** Adds a notification of the log; one that is repeated counts once. False when it is outside the period. */
    add: (notification: Notification): boolean => {
      const change = changeInPeriod(notification);
      if (change === null) return false;
      const status = statusKey(change);
      if (sameAs(change, status).length > 0) return true;
      isCut ||= notifications.count >= mostNotifications;
      if (isCut) return true;
      const { occurredAt, createdAt, transactionId } = change;
      const unpublished = occurredAt !== null && occurredAt > youngSinceMs ? "tooYoung" : "missing";
      const state = isInWindow(eventIdentity(change)) ? "known" : unpublished;
      add({ key: keyAt(status, occurredAt, createdAt), instant: occurredAt ?? 0, state });
      if (state === "known") return true;
      hasUndated ||= occurredAt === null;
      statuses.set(status, 0);
      factsByTransaction.set(transactionKey(transactionId), packFacts(NO_FACTS));
      return true;
    },

    addEvent: (event: TransactionStatusUpdated): void => {
      const instantMs = event.occurredAt ?? event.receivedAt;
      if (instantMs >= period.fromMs && instantMs <= Math.min(period.toMs, youngSinceMs)) eventsOfPeriod += 1;
      const transaction = transactionKey(event.transactionId);
      const facts = factsByTransaction.get(transaction);
      if (facts === undefined) return;
      factsByTransaction.set(transaction, packFacts(factsWith(unpackFacts(facts), event)));
      const status = statusKey(event);
      if (statuses.get(status) === undefined) return;
      statuses.set(status, 1);
      // A notification without createdAt is known by its transaction and status.
      const undated = hasUndated && event.createdAt !== "" ? get(keyAt(status, null, "")) : null;
      for (const entry of [...sameAs(event, status), undated])
        if (entry?.state === "missing" || entry?.state === "tooYoung") setState(entry, "known");
    },

    /** Returns null unless it is missing. `isElsewhere`: an event has the transaction and status at another instant. */
    take: (notification: Notification): { isElsewhere: boolean } | null => {
      const change = changeInPeriod(notification);
      if (change === null) return null;
      const status = statusKey(change);
      const [entry] = sameAs(change, status);
      if (entry?.state !== "missing") return null;
      setState(entry, "taken");
      return { isElsewhere: statuses.get(status) === 1 };
    },

    factsOf: ({ transactionId }: Notification): TransactionFacts =>
      unpackFacts(factsByTransaction.get(transactionKey(transactionId)) ?? packFacts(NO_FACTS)),
    isOtherForm: (): boolean =>
      counts.known === 0 && counts.missing >= SUSPICIOUS_COUNT && eventsOfPeriod > 0,
  };
};
