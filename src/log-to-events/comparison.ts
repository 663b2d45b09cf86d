import { DigestTable, keyOf, type DigestKey } from "../notification/digest-table.ts";
import type { Notification } from "../notification/notification.ts";
import { occurredAtOf } from "../notification/occurred-at.ts";
import { identityOf } from "../notification/identity.ts";
import { factsWith, NO_FACTS, packFacts, unpackFacts } from "../notification/transaction-facts.ts";
import type { TransactionFacts } from "../notification/transaction-facts.ts";
import type { TransactionStatusUpdated } from "../records.ts";
import { digestOf, type Digest } from "../runtime/digest.ts";
import type { Period } from "./period.ts";

/** `missing`: no event was found. `too young`: nor, but the webhook may still come. `taken`: about to be published. */
const STATES = ["known", "too young", "missing", "taken", "published", "refused"] as const;
type State = (typeof STATES)[number];

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
type Dated = Pick<PublishedEvent, "transactionId" | "status" | "createdAt" | "occurredAt">;

/** A log may cut its instants to seconds. */
const SAME_WITHIN_MS = 1_000;

const keyFor = ({ transactionId, status }: Dated, when: string): DigestKey =>
  keyOf(digestOf(`${transactionId}\n${status}\n${when}`));
const pairOf = (of: Dated): DigestKey => keyFor(of, "");
/** Of a notification whose createdAt is no instant. */
const textKey = (of: Dated): DigestKey => keyFor(of, `text ${of.createdAt}`);

/**
 * Compares the notifications of a period with the published events. Keeps digests only: up to 60 bytes for one that the
 * deduplication window does not hold, 19 for one that it does, nothing of other events.
 */
export const comparison = ({ period, youngSinceMs, seen }: ComparisonOptions) => {
  /** For each notification its instant (0 for none) and its state, found by its second, or by the text of createdAt. */
  const notifications = new DigestTable(Float64Array);
  /**
   * For each transaction and status: twice its missing notifications, and 1 more where the topic has an event of it.
   */
  const pairs = new DigestTable(Float64Array);
  const factsByTransaction = new DigestTable(Float64Array);
  const counts = Object.fromEntries(STATES.map((state) => [state, 0])) as Record<State, number>;
  /** Of the missing ones, those whose pair is in the topic at another instant. */
  let held = 0;
  let undated = 0;
  let eventsOfPeriod = 0;

  const set = (key: DigestKey, instant: number, state: State): void =>
    notifications.set(key, instant * STATES.length + STATES.indexOf(state));
  const at = (key: DigestKey): { instant: number; state: State } | null => {
    const packed = notifications.get(key);
    if (packed === undefined) return null;
    const instant = Math.floor(packed / STATES.length);
    return { instant, state: STATES[packed - instant * STATES.length] ?? "known" };
  };

  /** The notifications that this one repeats, or that an event is of. */
  const same = (of: Dated): DigestKey[] => {
    const { occurredAt } = of;
    if (occurredAt === null) return [textKey(of)].filter((key) => at(key) !== null);
    const second = Math.floor(occurredAt / 1_000);
    return [second, second - 1, second + 1]
      .map((near) => keyFor(of, String(near)))
      .filter((key) => Math.abs((at(key)?.instant ?? Infinity) - occurredAt) <= SAME_WITHIN_MS);
  };

  const setState = (key: DigestKey, state: State): void => {
    const found = at(key);
    if (!found) return;
    counts[found.state] -= 1;
    counts[state] += 1;
    set(key, found.instant, state);
  };

  const countPair = (pair: DigestKey, missing: 1 | -1): void => {
    const before = pairs.get(pair) ?? 0;
    pairs.set(pair, before + 2 * missing);
    if (before % 2 === 1) held += missing;
  };

  const becomeKnown = (key: DigestKey, pair: DigestKey): void => {
    const state = at(key)?.state;
    if (state === "missing") countPair(pair, -1);
    if (state === "missing" || state === "too young") setState(key, "known");
  };

  /** Null for a notification whose instant is outside the period. */
  const dated = (notification: Notification): Dated | null => {
    const occurredAt = occurredAtOf(notification.createdAt);
    const isOutside = occurredAt !== null && (occurredAt < period.fromMs || occurredAt > period.toMs);
    return isOutside ? null : { ...notification, occurredAt };
  };

  return {
    counts: counts as Readonly<Record<State, number>>,
    held: () => held,
    undated: () => undated,
    eventsOfPeriod: () => eventsOfPeriod,

    /** Adds a notification of the log; one that is repeated counts once. False when it is outside the period. */
    add: (notification: Notification): boolean => {
      const of = dated(notification);
      if (of === null) return false;
      const { occurredAt } = of;
      if (same(of).length > 0) return true;
      const isYoung = occurredAt !== null && occurredAt > youngSinceMs;
      const state = seen(identityOf(of)) ? "known" : isYoung ? "too young" : "missing";
      const key = occurredAt === null ? textKey(of) : keyFor(of, String(Math.floor(occurredAt / 1_000)));
      counts[state] += 1;
      set(key, occurredAt ?? 0, state);
      if (state === "known") return true;
      if (occurredAt === null) undated += 1;
      const pair = pairOf(of);
      if (state === "missing") countPair(pair, 1);
      else if (pairs.get(pair) === undefined) pairs.set(pair, 0);
      const transaction = keyOf(digestOf(of.transactionId));
      if (factsByTransaction.get(transaction) === undefined)
        factsByTransaction.set(transaction, packFacts(NO_FACTS));
      return true;
    },

    /** Takes an event of the topic: its notification is known. */
    addEvent: (event: PublishedEvent): void => {
      const instantMs = event.occurredAt ?? event.receivedAt;
      if (instantMs >= period.fromMs && instantMs <= Math.min(period.toMs, youngSinceMs)) eventsOfPeriod += 1;
      const transaction = keyOf(digestOf(event.transactionId));
      const facts = factsByTransaction.get(transaction);
      if (facts === undefined) return;
      factsByTransaction.set(transaction, packFacts(factsWith(unpackFacts(facts), event)));
      const pair = pairOf(event);
      const open = pairs.get(pair);
      if (open === undefined) return;
      if (open % 2 === 0) {
        pairs.set(pair, open + 1);
        held += open / 2;
      }
      for (const own of same(event)) becomeKnown(own, pair);
      // A notification without createdAt is known by its transaction and status.
      if (undated > 0) becomeKnown(textKey({ ...event, createdAt: "" }), pair);
    },

    /**
     * Takes a missing notification, to be published: its key. Null for any other, and for one that is taken already.
     * @param force also one whose transaction and status are in the topic at another instant
     */
    take: (notification: Notification, force: boolean): DigestKey | null => {
      const of = dated(notification);
      const key = of === null ? undefined : same(of)[0];
      if (of === null || key === undefined || at(key)?.state !== "missing") return null;
      if (!force && (pairs.get(pairOf(of)) ?? 0) % 2 === 1) return null;
      setState(key, "taken");
      return key;
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
