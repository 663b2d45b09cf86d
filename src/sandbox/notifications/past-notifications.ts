import { randomFrom, type Random } from "../runtime/random.ts";
import { choiceIn, fieldsFrom, numberIn, WrongInput } from "../runtime/wrong-input.ts";
import type { Change, Delivery, LostAs } from "../types.ts";
import type { Deliveries } from "./deliveries.ts";
import { deliveryOf } from "./notifications.ts";
import type { SentLog } from "./sent-log.ts";
import type { Subscriptions } from "./subscriptions.ts";

/**
 * Adds many notifications with dates between two instants; each transaction goes through the statuses of
 * `main`.
 */
export type PastRequest = {
  count: number;
  from: number;
  to: number;
  /** The share of them that is lost, chosen at random. */
  lostShare: number;
  logged: LostAs;
  /** When false, nothing is posted, and the log shows all that are not lost as delivered. */
  send: boolean;
  seed: string | null;
};

const maxCount = 2_000_000;

const instant = (value: unknown, name: string): number => {
  const at = typeof value === "string" ? Date.parse(value) : NaN;
  if (Number.isNaN(at)) throw new WrongInput(`${name} must be an instant such as 2026-01-05T12:00:00Z`);
  return at;
};

/** Reads POST /_sandbox/log; throws a {@link WrongInput}. */
export const parsePastRequest = (value: unknown): PastRequest => {
  const fields = fieldsFrom(value, ["count", "from", "to", "lostShare", "logged", "send", "seed"]);
  const { from, to, send = true, seed = null } = fields;
  if (typeof send !== "boolean") throw new WrongInput("send must be true or false");
  if (seed !== null && typeof seed !== "string") throw new WrongInput("seed must be a string");
  const request = {
    count: Math.trunc(numberIn(fields, "count", 1, 1, maxCount)),
    from: instant(from, "from"),
    to: instant(to, "to"),
    lostShare: numberIn(fields, "lostShare", 0, 0, 1),
    logged: choiceIn(fields, "logged", ["failed", "delivered"], "failed"),
    send,
    seed,
  };
  if (request.to < request.from) throw new WrongInput("to must not be before from");
  return request;
};

export type PastNotificationsDeps = {
  seed: string;
  subscriptions: Subscriptions;
  deliveries: Deliveries;
  sentLog: SentLog;
  statuses: readonly string[];
  now: () => number;
  nextDeliveryId: () => string;
  idFrom: (random: Random) => string;
  bodyOf: (change: Change) => string;
};

/** How many first attempts run at the same time. */
const lanes = 64;
/** The URL in the log when there is no subscription. */
const noReceiver = "http://nobody.invalid/";

export const createPastNotifications = (deps: PastNotificationsDeps) => {
  const { deliveries, sentLog, statuses } = deps;
  let made = 0;
  let waiting = 0;
  /** Replaced by `clear`, which ends the sending that began before. */
  let epoch = {};

  const recorded = (change: Change, url: string, entryId: number): Delivery => {
    const body = deps.bodyOf(change);
    const delivery = deliveryOf({ ...change, deliveryId: deps.nextDeliveryId(), entryId, url, body });
    deliveries.record(delivery);
    return delivery;
  };

  const sendAll = (entryIds: readonly number[]) => {
    const begun = epoch;
    let nth = 0;
    const sendNext = () => {
      if (begun !== epoch) return;
      for (let entryId = entryIds[nth]; entryId !== undefined; entryId = entryIds[nth]) {
        nth += 1;
        waiting -= 1;
        const sent = sentLog.get(entryId, deps.now());
        // Dropped from the log meanwhile: its capacity is smaller than `count`.
        if (!sent) continue;
        const { transactionId, status, createdAt, url } = sent;
        const change = { transactionId, status, createdAt };
        deliveries.send(recorded(change, url, entryId), deps.now(), sendNext);
        return;
      }
    };
    waiting += entryIds.length;
    for (let lane = 0; lane < lanes; lane += 1) sendNext();
  };

  return {
    /** Adds them to the log, and begins to send those that are to be sent. */
    add: ({ count, from, to, lostShare, logged, send, seed }: PastRequest) => {
      made += 1;
      const random = (label: string) => randomFrom(seed ?? `${deps.seed} ${made}`, label);
      const dice = random("lost");
      const ids = random("ids");
      const url = deps.subscriptions.list()[0]?.url ?? noReceiver;
      const transactionIds = Array.from({ length: Math.ceil(count / statuses.length) }, () =>
        deps.idFrom(ids),
      );
      const toSend: number[] = [];
      let lost = 0;
      for (let nth = 0; nth < count; nth += 1) {
        const change = {
          transactionId: transactionIds[nth % transactionIds.length] ?? "",
          status: statuses[Math.floor(nth / transactionIds.length)] ?? "",
          createdAt: Math.round(from + ((to - from) * (nth + 0.5)) / count),
        };
        const entryId = sentLog.add({ ...change, url });
        if (dice() < lostShare) {
          lost += 1;
          deliveries.drop(recorded(change, url, entryId), logged);
        } else if (send && url !== noReceiver) toSend.push(entryId);
        else {
          sentLog.attempted(entryId, change.createdAt, 200);
          sentLog.settle(entryId, "delivered");
        }
      }
      sendAll(toSend);
      return { notifications: count, lost, toSend: toSend.length };
    },
    /** How many still wait for their first attempt. */
    waiting: () => waiting,
    clear: () => {
      epoch = {};
      waiting = 0;
    },
  };
};
