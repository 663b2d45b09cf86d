import { DigestTable, keyOf, type DigestKey } from "../notification/digest-table.ts";
import type { Notification } from "../notification/notification.ts";
import { occurredAtOf } from "../notification/occurred-at.ts";
import { eventIdentity } from "../notification/event-window.ts";
import { factsWith, NO_FACTS, packFacts, unpackFacts } from "../notification/transaction-facts.ts";
import type { TransactionFacts } from "../notification/transaction-facts.ts";
import type { TransactionStatusUpdated } from "../records.ts";
import { digestOf, wordOf, type Digest } from "../runtime/digest.ts";
import type { Period } from "./period.ts";

/**
 * `missing`: the topic has no event of it. `too young`: neither, but the webhook may still come. `held`: the topic has
 * its transaction and status at another instant. `unread`: the events of its transaction cannot be read now.
 * `reserved`: it is about to be published.
 */
const STATES = [
  "known",
  "too young",
  "missing",
  "held",
  "unread",
  "reserved",
  "published",
  "refused",
] as const;
type State = (typeof STATES)[number];

type StatusChange = Pick<TransactionStatusUpdated, "transactionId" | "status" | "createdAt" | "occurredAt">;

/** If so many are missing and none is known, although the topic has events of the period, the form must differ. */
const SUSPICIOUS_COUNT = 20;
/** A log may cut its instants to seconds. */
const SAME_WITHIN_MS = 1_000;

const statusKey = ({ transactionId, status }: StatusChange): DigestKey =>
  keyOf(digestOf(`${transactionId}\n${status}`));
const transactionKey = (transactionId: string): DigestKey => keyOf(digestOf(transactionId));

/** The key of a transaction and status at one second: one digest for all seconds, because digests cost most here. */
const keyAtSecond = ({ first, second }: DigestKey, unixSecond: number): DigestKey => ({
  first: (first ^ Math.imul(unixSecond, 0x9e3779b1)) >>> 0 || 1,
  second: (second + Math.imul(unixSecond, 0x85ebca6b)) >>> 0,
});
/** The key of a transaction and status with a createdAt that is no instant. */
const keyWithText = (key: DigestKey, createdAt: string): DigestKey =>
  keyAtSecond(key, wordOf(digestOf(createdAt), 0));

type ComparisonOptions = {
  period: Period;
  /** Notifications whose instant is after this one are too young. */
  youngSinceMs: number;
  /** Whether the deduplication window holds an event with this identity. */
  isInWindow: (identity: Digest) => boolean;
  /** Masks own secrets, which the events hold masked, too. */
  mask: (text: string) => string;
  /** How many notifications are kept, since the partner's log may hold any number of them. */
  most: number;
};

/**
 * Compares the notifications of a period with the published events. Keeps digests only: up to 60 bytes for one that the
 * deduplication window does not hold, 19 for one that it does, nothing of other events.
 */
export const createComparison = ({ period, youngSinceMs, isInWindow, mask, most }: ComparisonOptions) => {
  /** The instant (0 for none) and the state of each notification, by its second, or by the text of createdAt. */
  const notifications = new DigestTable(Float64Array);
  /** Transactions with statuses that the window does not hold: 1 where the topic has an event of the two. */
  const statuses = new DigestTable(Uint8Array);
  const factsByTransaction = new DigestTable(Float64Array);
  const counts = Object.fromEntries(STATES.map((state) => [state, 0])) as Record<State, number>;
  let undated = 0;
  let isCut = false;
  let eventsOfPeriod = 0;

  const set = (key: DigestKey, instant: number, state: State): void => {
    counts[state] += 1;
    notifications.set(key, instant * STATES.length + STATES.indexOf(state));
  };
  const get = (key: DigestKey): { instant: number; state: State } | null => {
    const packed = notifications.get(key);
    if (packed === undefined) return null;
    const instant = Math.floor(packed / STATES.length);
    return { instant, state: STATES[packed - instant * STATES.length] ?? "known" };
  };
  const setState = (key: DigestKey, state: State): void => {
    const entry = get(key);
    if (!entry) return;
    counts[entry.state] -= 1;
    set(key, entry.instant, state);
  };

  /** Returns the keys of the notifications that say the same. */
  const keysOfSame = ({ createdAt, occurredAt }: StatusChange, key: DigestKey): DigestKey[] => {
    if (occurredAt === null) return [keyWithText(key, createdAt)].filter((each) => get(each) !== null);
    const second = Math.floor(occurredAt / 1_000);
    return [second, second - 1, second + 1]
      .map((near) => keyAtSecond(key, near))
      .filter((each) => Math.abs((get(each)?.instant ?? Infinity) - occurredAt) <= SAME_WITHIN_MS);
  };

  /** Returns null for a notification whose instant is outside the period. */
  const changeInPeriod = ({ transactionId, status, createdAt }: Notification): StatusChange | null => {
    const occurredAt = occurredAtOf(createdAt);
    const isOutside = occurredAt !== null && (occurredAt < period.fromMs || occurredAt > period.toMs);
    if (isOutside) return null;
    // An event holds a createdAt that is no instant as masked text.
    return {
      transactionId,
      status,
      createdAt: occurredAt === null ? mask(createdAt) : createdAt,
      occurredAt,
    };
  };

  return {
    counts: counts as Readonly<Record<State, number>>,
    undated: () => undated,
    /** Whether the log holds more notifications than are kept: the others are neither compared nor published. */
    isCut: () => isCut,

    /** Adds a notification of the log; one that is repeated counts once. False when it is outside the period. */
    add: (notification: Notification): boolean => {
      const change = changeInPeriod(notification);
      if (change === null) return false;
      const { occurredAt, createdAt, transactionId } = change;
      const key = statusKey(change);
      if (keysOfSame(change, key).length > 0) return true;
      isCut ||= notifications.count >= most;
      if (isCut) return true;
      const isYoung = occurredAt !== null && occurredAt > youngSinceMs;
      const state = isInWindow(eventIdentity(change)) ? "known" : isYoung ? "too young" : "missing";
      set(
        occurredAt === null ? keyWithText(key, createdAt) : keyAtSecond(key, Math.floor(occurredAt / 1_000)),
        occurredAt ?? 0,
        state,
      );
      if (state === "known") return true;
      if (occurredAt === null) undated += 1;
      statuses.set(key, 0);
      factsByTransaction.set(transactionKey(transactionId), packFacts(NO_FACTS));
      return true;
    },

    /** Takes an event of the topic: its notification is known. */
    addEvent: (event: TransactionStatusUpdated): void => {
      const instantMs = event.occurredAt ?? event.receivedAt;
      if (instantMs >= period.fromMs && instantMs <= Math.min(period.toMs, youngSinceMs)) eventsOfPeriod += 1;
      const transaction = transactionKey(event.transactionId);
      const facts = factsByTransaction.get(transaction);
      if (facts === undefined) return;
      factsByTransaction.set(transaction, packFacts(factsWith(unpackFacts(facts), event)));
      const key = statusKey(event);
      if (statuses.get(key) === undefined) return;
      statuses.set(key, 1);
      // A notification without createdAt is known by its transaction and status.
      const withoutDate = undated > 0 ? [keyWithText(key, "")] : [];
      for (const each of [...keysOfSame(event, key), ...withoutDate])
        if (["missing", "too young"].includes(get(each)?.state ?? "")) setState(each, "known");
    },

    /**
     * Reserves a missing notification for publishing, and returns its key; null for any other notification.
     * @param force reserves one, too, whose transaction and status the topic has at another instant, instead of holding it
     */
    reserve: (notification: Notification, force: boolean): DigestKey | null => {
      const change = changeInPeriod(notification);
      if (change === null) return null;
      const status = statusKey(change);
      const [key] = keysOfSame(change, status);
      if (key === undefined || get(key)?.state !== "missing") return null;
      const isHeld = !force && statuses.get(status) === 1;
      setState(key, isHeld ? "held" : "reserved");
      return isHeld ? null : key;
    },
    /** Holds back a missing notification of a transaction whose events cannot be read. False for any other. */
    holdUnread: (notification: Notification): boolean => {
      const change = changeInPeriod(notification);
      const [key] = change === null ? [] : keysOfSame(change, statusKey(change));
      if (key === undefined || get(key)?.state !== "missing") return false;
      setState(key, "unread");
      return true;
    },
    /** Returns the facts from the topic about a transaction with a missing notification. */
    factsOf: (transactionId: string): TransactionFacts => {
      const facts = factsByTransaction.get(transactionKey(transactionId));
      return facts === undefined ? NO_FACTS : unpackFacts(facts);
    },
    setOutcome: setState,
    isOtherForm: (): boolean =>
      counts.known === 0 && counts.missing >= SUSPICIOUS_COUNT && eventsOfPeriod > 0,
  };
};

export type Comparison = ReturnType<typeof createComparison>;
