import type { NotificationFault } from "../faults/fault-rules.ts";
import type { Faults } from "../faults/faults.ts";
import type { Scheduler } from "../runtime/scheduler.ts";
import type { Change, Delivery } from "../types.ts";
import type { Deliveries } from "./deliveries.ts";
import type { SentLog } from "./sent-log.ts";
import type { Subscriptions } from "./subscriptions.ts";

const transactionStatusUpdated = "TRANSACTION_STATUS_UPDATED";

/** A delivery without attempts. */
export const deliveryOf = (
  sent: Change & Pick<Delivery, "deliveryId" | "entryId" | "url" | "body">,
): Delivery => ({
  ...sent,
  eventType: transactionStatusUpdated,
  state: "pending",
  duplicate: false,
  forged: false,
  attempts: [],
  nextAttemptAt: null,
});

export type NotificationDeps = {
  subscriptions: Subscriptions;
  deliveries: Deliveries;
  sentLog: SentLog;
  faults: Faults;
  scheduler: Scheduler;
  nextDeliveryId: () => string;
  /** The JSON text of a notification. */
  bodyOf: (change: Change) => string;
  /** Divides a duration by the time scale. */
  scaled: (ms: number) => number;
  /**
   * How long a `reorder` or `burst` fault holds a notification at most; already divided by the time scale.
   */
  longestHoldMs: number;
};

export const createNotifications = (deps: NotificationDeps) => {
  const { deliveries, scheduler } = deps;
  // `reorder`: held until the next notification of the same transaction has been sent to the same URL.
  const overtaken = new Map<string, () => void>();
  // `burst`: held until there are enough of them, by fault.
  const gathered = new Map<string, (() => void)[]>();

  const overtake = (key: string, dueAt: number, send: () => void) => {
    overtaken.set(key, send);
    scheduler.at(dueAt + deps.longestHoldMs, () => {
      if (overtaken.get(key) !== send) return;
      overtaken.delete(key);
      send();
    });
  };

  const gather = (faultId: string, size: number, dueAt: number, send: () => void) => {
    const waiting = gathered.get(faultId) ?? [];
    gathered.set(faultId, waiting);
    waiting.push(send);
    const release = () => {
      if (gathered.get(faultId) !== waiting) return;
      gathered.delete(faultId);
      for (const each of waiting) each();
    };
    if (waiting.length >= size) release();
    else if (waiting.length === 1) scheduler.at(dueAt + deps.longestHoldMs, release);
  };

  const copyOf = (delivery: Delivery): Delivery => ({
    ...delivery,
    deliveryId: deps.nextDeliveryId(),
    entryId: null,
    duplicate: true,
    attempts: [],
  });

  const dispatch = (delivery: Delivery, faults: { faultId: string; fault: NotificationFault }[]) => {
    const dropped = faults.map(({ fault }) => fault).find(({ kind }) => kind === "drop");
    if (dropped?.kind === "drop") {
      deliveries.drop(delivery, dropped.logged);
      return;
    }
    const key = `${delivery.transactionId} ${delivery.url}`;
    const held = overtaken.get(key);
    overtaken.delete(key);
    let dueAt = delivery.createdAt;
    let copies = 0;
    let hold: ((send: () => void) => void) | undefined;
    for (const { faultId, fault } of faults) {
      if (fault.kind === "delay") dueAt += deps.scaled(fault.ms);
      else if (fault.kind === "duplicate") copies += fault.times;
      else if (fault.kind === "burst") hold = (send) => gather(faultId, fault.size, dueAt, send);
      else if (fault.kind === "reorder" && !held) hold = (send) => overtake(key, dueAt, send);
    }
    const all = [delivery, ...Array.from({ length: copies }, () => copyOf(delivery))];
    for (const each of all.slice(1)) deliveries.record(each);
    const send = () => all.forEach((each, nth) => deliveries.send(each, dueAt, nth === 0 ? held : undefined));
    if (hold) hold(send);
    else send();
  };

  return {
    /** Notifies every subscribed URL of a change, subject to faults. */
    notify: (change: Change) => {
      for (const { url, events } of deps.subscriptions.list()) {
        if (!events.includes(transactionStatusUpdated)) continue;
        const body = deps.bodyOf(change);
        const faults = deps.faults.forNotification({ operation: "notification", url, ...change, body });
        const forged = faults.some(({ fault }) => fault.kind === "forge");
        const entryId = forged ? null : deps.sentLog.add({ ...change, url });
        const delivery = deliveryOf({ ...change, deliveryId: deps.nextDeliveryId(), entryId, url, body });
        delivery.forged = forged;
        deliveries.record(delivery);
        dispatch(delivery, faults);
      }
    },
    clear: () => {
      overtaken.clear();
      gathered.clear();
    },
  };
};
