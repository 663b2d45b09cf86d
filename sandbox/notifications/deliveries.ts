import { randomUUID } from "node:crypto";
import type { Faults } from "../faults/faults.ts";
import { Newest } from "../runtime/newest.ts";
import { jittered, type Scheduler } from "../runtime/clock.ts";
import type { Change, Delivery, LostAs, Sent } from "../types.ts";
import type { PostResult } from "./post.ts";

/** The specification says "up to 5". */
const maxAttempts = 5;
/** How many the state and the log know; the oldest is forgotten first. */
const keptDeliveries = 50_000;

const noTotals = () => ({
  ...{ notifications: 0, duplicates: 0, attempts: 0 },
  ...{ delivered: 0, failed: 0, dropped: 0, pending: 0 },
});

type DeliveryDeps = {
  now: () => number;
  scheduler: Scheduler;
  faults: Faults;
  /** Divides a duration by the time scale. */
  scaled: (ms: number) => number;
  post: (url: string, body: string) => Promise<PostResult>;
  /** The JSON text of a notification. */
  bodyOf: (change: Change) => string;
};

/** The attempts by which the log shows one that was never sent. */
export const lostAttempts = (createdAt: number, logged: LostAs, retryMs: number): Sent["attempts"] =>
  Array.from({ length: logged === "failed" ? maxAttempts : 1 }, (_, nth) => {
    const at = createdAt + nth * retryMs;
    const [httpStatus, error] = logged === "failed" ? [null, "no answer"] : [200, null];
    return { dueAt: at, startedAt: at, httpStatus, error };
  });

/** @param retryMs mean time from a failed attempt's end to the next one, already divided by the time scale */
export const createDeliveries = (retryMs: number, deps: DeliveryDeps) => {
  const kept = new Newest<Delivery>(keptDeliveries);
  let totals = noTotals();

  const settle = (delivery: Delivery, state: "delivered" | "failed" | "dropped") => {
    delivery.state = state;
    totals.pending -= 1;
    totals[state] += 1;
  };

  const attempt = async (delivery: Delivery, dueAt: number): Promise<void> => {
    const startedAt = deps.now();
    const totalsAtStart = totals;
    totals.attempts += 1;
    delivery.nextAttemptAt = null;
    const { httpStatus, error } = await deps.post(delivery.url, delivery.body);
    // `clear` was called during the attempt: this delivery is no longer counted.
    if (totals !== totalsAtStart) return;
    delivery.attempts.push({ dueAt, startedAt, httpStatus, error });
    if (httpStatus !== null && httpStatus >= 200 && httpStatus < 300) settle(delivery, "delivered");
    else if (delivery.attempts.length >= maxAttempts) settle(delivery, "failed");
    else plan(delivery, Math.round(deps.now() + jittered(retryMs)));
  };

  const plan = (delivery: Delivery, dueAt: number) => {
    delivery.nextAttemptAt = dueAt;
    deps.scheduler.at(dueAt, () => void attempt(delivery, dueAt));
  };

  const record = (url: string, change: Change, body: string, duplicate: boolean): Delivery => {
    const untried = { state: "pending" as const, attempts: [], nextAttemptAt: null };
    const delivery = { deliveryId: randomUUID(), url, ...change, body, duplicate, ...untried };
    totals[duplicate ? "duplicates" : "notifications"] += 1;
    totals.pending += 1;
    kept.add(delivery);
    return delivery;
  };

  return {
    /** Notifies a URL of a change, subject to faults. */
    notify: (url: string, change: Change) => {
      const body = deps.bodyOf(change);
      const faults = deps.faults.forNotification({ operation: "notification", url, ...change, body });
      const delivery = record(url, change, body, false);
      let dueAt = change.createdAt;
      for (const fault of faults) {
        if (fault.kind === "drop") {
          settle(delivery, "dropped");
          delivery.attempts.push(...lostAttempts(change.createdAt, fault.logged, retryMs));
          return;
        }
        if (fault.kind === "delay") dueAt += deps.scaled(fault.ms);
        else for (let nth = 0; nth < fault.times; nth += 1) plan(record(url, change, body, true), dueAt);
      }
      plan(delivery, dueAt);
    },
    /** Makes the first attempt at once, whatever the date of the change is. Resolves when it was made. */
    sendNow: (url: string, change: Change): Promise<void> =>
      attempt(record(url, change, deps.bodyOf(change), false), deps.now()),
    /** What the log shows: attempts until now. */
    *sent(fits: (createdAt: number, sentAt: number) => boolean, newestFirst: boolean): Generator<Sent> {
      const now = deps.now();
      const all = kept.newest();
      for (const delivery of newestFirst ? all : all.reverse()) {
        const attempts = delivery.attempts.filter(({ startedAt }) => startedAt <= now);
        const sentAt = attempts[0]?.startedAt ?? delivery.createdAt;
        if (!delivery.duplicate && fits(delivery.createdAt, sentAt)) yield { ...delivery, attempts };
      }
    },
    newest: (limit?: number) => kept.newest(limit),
    totals: () => ({ ...totals }),
    clear: () => {
      totals = noTotals();
      kept.clear();
    },
  };
};

export type Deliveries = ReturnType<typeof createDeliveries>;
