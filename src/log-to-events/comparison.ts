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
 * `missing`: no event was found. `too young`: nor, but the webhook may still come. `held`: its transaction and status
 * are in the topic at another instant. `taken`: about to be published.
 */
const STATES = ["known", "too young", "missing", "held", "taken", "published", "refused"] as const;
type State = (typeof STATES)[number];

type Dated = Pick<TransactionStatusUpdated, "transactionId" | "status" | "createdAt" | "occurredAt">;

/** With so many missing and none known, although the topic has events of the period, it is the form that differs. */
const SUSPICIOUS_COUNT = 20;
/** A log may cut its instants to seconds. */
const SAME_WITHIN_MS = 1_000;

const pairOf = ({ transactionId, status }: Dated): DigestKey =>
  keyOf(digestOf(`${transactionId}\n${status}`));
const transactionOf = (transactionId: string): DigestKey => keyOf(digestOf(transactionId));

/** The key of a transaction and status at one second: one digest for all seconds, because digests cost most here. */
const atSecond = ({ first, second }: DigestKey, unixSecond: number): DigestKey => ({
  first: (first ^ Math.imul(unixSecond, 0x9e3779b1)) >>> 0 || 1,
  second: (second + Math.imul(unixSecond, 0x85ebca6b)) >>> 0,
});
/** The same for a createdAt that is no instant. */
const atText = (pair: DigestKey, createdAt: string): DigestKey =>
  atSecond(pair, wordOf(digestOf(createdAt), 0));

/**
 * Compares the notifications of a period with the published events. Keeps digests only: up to 60 bytes for one that the
 * deduplication window does not hold, 19 for one that it does, nothing of other events.
 * @param youngSinceMs notifications whose instant is after this one are too young
 * @param seen whether the deduplication window holds an event with this identity
 */
export const comparison = (period: Period, youngSinceMs: number, seen: (identity: Digest) => boolean) => {
  /** For each notification its instant (0 for none) and its state, found by its second, or by the text of createdAt. */
  const notifications = new DigestTable(Float64Array);
  /** Transactions with statuses that the window does not hold: 1 where the topic has an event of the two. */
  const pairs = new DigestTable(Uint8Array);
  const factsByTransaction = new DigestTable(Float64Array);
  const counts = Object.fromEntries(STATES.map((state) => [state, 0])) as Record<State, number>;
  let undated = 0;
  let eventsOfPeriod = 0;

  const set = (key: DigestKey, instant: number, state: State): void => {
    counts[state] += 1;
    notifications.set(key, instant * STATES.length + STATES.indexOf(state));
  };
  const at = (key: DigestKey): { instant: number; state: State } | null => {
    const packed = notifications.get(key);
    if (packed === undefined) return null;
    const instant = Math.floor(packed / STATES.length);
    return { instant, state: STATES[packed - instant * STATES.length] ?? "known" };
  };
  const setState = (key: DigestKey, state: State): void => {
    const found = at(key);
    if (!found) return;
    counts[found.state] -= 1;
    set(key, found.instant, state);
  };

  /** The notifications that this one repeats, or that an event is of. */
  const same = ({ createdAt, occurredAt }: Dated, pair: DigestKey): DigestKey[] => {
    if (occurredAt === null) return [atText(pair, createdAt)].filter((key) => at(key) !== null);
    const second = Math.floor(occurredAt / 1_000);
    return [second, second - 1, second + 1]
      .map((near) => atSecond(pair, near))
      .filter((key) => Math.abs((at(key)?.instant ?? Infinity) - occurredAt) <= SAME_WITHIN_MS);
  };

  /** Null for a notification whose instant is outside the period. */
  const dated = ({ transactionId, status, createdAt }: Notification): Dated | null => {
    const occurredAt = occurredAtOf(createdAt);
    const isOutside = occurredAt !== null && (occurredAt < period.fromMs || occurredAt > period.toMs);
    return isOutside ? null : { transactionId, status, createdAt, occurredAt };
  };

  return {
    counts: counts as Readonly<Record<State, number>>,
    undated: () => undated,

    /** Adds a notification of the log; one that is repeated counts once. False when it is outside the period. */
    add: (notification: Notification): boolean => {
      const of = dated(notification);
      if (of === null) return false;
      const { occurredAt, createdAt, transactionId } = of;
      const pair = pairOf(of);
      if (same(of, pair).length > 0) return true;
      const isYoung = occurredAt !== null && occurredAt > youngSinceMs;
      const state = seen(eventIdentity(of)) ? "known" : isYoung ? "too young" : "missing";
      const key =
        occurredAt === null ? atText(pair, createdAt) : atSecond(pair, Math.floor(occurredAt / 1_000));
      set(key, occurredAt ?? 0, state);
      if (state === "known") return true;
      if (occurredAt === null) undated += 1;
      pairs.set(pair, 0);
      factsByTransaction.set(transactionOf(transactionId), packFacts(NO_FACTS));
      return true;
    },

    /** Takes an event of the topic: its notification is known. */
    addEvent: (event: TransactionStatusUpdated): void => {
      const instantMs = event.occurredAt ?? event.receivedAt;
      if (instantMs >= period.fromMs && instantMs <= Math.min(period.toMs, youngSinceMs)) eventsOfPeriod += 1;
      const transaction = transactionOf(event.transactionId);
      const facts = factsByTransaction.get(transaction);
      if (facts === undefined) return;
      factsByTransaction.set(transaction, packFacts(factsWith(unpackFacts(facts), event)));
      const pair = pairOf(event);
      if (pairs.get(pair) === undefined) return;
      pairs.set(pair, 1);
      // A notification without createdAt is known by its transaction and status.
      const withoutDate = undated > 0 ? [atText(pair, "")] : [];
      for (const key of [...same(event, pair), ...withoutDate])
        if (["missing", "too young"].includes(at(key)?.state ?? "")) setState(key, "known");
    },

    /**
     * Takes a missing notification, to be published: its key. Null for any other, and for one that is taken already.
     * @param force also one whose transaction and status are in the topic at another instant: otherwise it is held
     */
    take: (notification: Notification, force: boolean): DigestKey | null => {
      const of = dated(notification);
      if (of === null) return null;
      const pair = pairOf(of);
      const [key] = same(of, pair);
      if (key === undefined || at(key)?.state !== "missing") return null;
      const isHeld = !force && pairs.get(pair) === 1;
      setState(key, isHeld ? "held" : "taken");
      return isHeld ? null : key;
    },
    /** The facts from the topic about a transaction with a missing notification. */
    factsOf: (transactionId: string): TransactionFacts => {
      const facts = factsByTransaction.get(transactionOf(transactionId));
      return facts === undefined ? NO_FACTS : unpackFacts(facts);
    },
    setOutcome: setState,
    isOtherForm: (): boolean =>
      counts.known === 0 && counts.missing >= SUSPICIOUS_COUNT && eventsOfPeriod > 0,
  };
};

export type Comparison = ReturnType<typeof comparison>;
