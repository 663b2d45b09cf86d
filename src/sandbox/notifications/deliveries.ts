import { Ring } from "../runtime/bounded.ts";
import { jittered, type Random } from "../runtime/random.ts";
import type { Scheduler } from "../runtime/scheduler.ts";
import type { Delivery, LostAs } from "../types.ts";
import type { PostResult } from "./post.ts";
import { maxAttempts, type SentLog } from "./sent-log.ts";

export type DeliveryRules = {
  /** Mean time from a failed attempt's end to the next one, already divided by the time scale. */
  retryMs: number;
  jitter: number;
  history: number;
};

const noTotals = () => ({
  notifications: 0,
  duplicates: 0,
  attempts: 0,
  delivered: 0,
  failed: 0,
  dropped: 0,
  pending: 0,
});

export type DeliveryDeps = {
  now: () => number;
  scheduler: Scheduler;
  sentLog: SentLog;
  randomFor: (label: string) => Random;
  post: (url: string, body: string, headers: Record<string, string>) => Promise<PostResult>;
  /** The headers of one attempt. */
  headersFor: (delivery: Delivery) => Record<string, string>;
};

export const createDeliveries = (rules: DeliveryRules, deps: DeliveryDeps) => {
  const { sentLog } = deps;
  const kept = new Ring<Delivery>(rules.history);
  let totals = noTotals();

  const settle = (delivery: Delivery, state: "delivered" | "failed" | "dropped") => {
    delivery.state = state;
    if (delivery.entryId !== null) sentLog.settle(delivery.entryId, state);
    delivery.nextAttemptAt = null;
    totals.pending -= 1;
    totals[state] += 1;
  };

  const retryAt = ({ deliveryId }: Delivery, made: number, from: number): number =>
    Math.round(from + jittered(deps.randomFor(`${deliveryId} ${made}`), rules.retryMs, rules.jitter));

  const attempt = async (delivery: Delivery, dueAt: number): Promise<void> => {
    const startedAt = deps.now();
    const totalsAtStart = totals;
    totals.attempts += 1;
    delivery.nextAttemptAt = null;
    const { httpStatus, answer, error } = await deps.post(
      delivery.url,
      delivery.body,
      deps.headersFor(delivery),
    );
    // `clear` was called during the attempt: this delivery is no longer counted.
    if (totals !== totalsAtStart) return;
    const endedAt = deps.now();
    if (delivery.entryId !== null) sentLog.attempted(delivery.entryId, startedAt, httpStatus);
    delivery.attempts.push({ dueAt, startedAt, tookMs: endedAt - startedAt, httpStatus, answer, error });
    if (httpStatus !== null && httpStatus >= 200 && httpStatus < 300) settle(delivery, "delivered");
    else if (delivery.attempts.length >= maxAttempts) settle(delivery, "failed");
    else plan(delivery, retryAt(delivery, delivery.attempts.length, endedAt));
  };

  const plan = (delivery: Delivery, dueAt: number, afterFirst?: () => void) => {
    delivery.nextAttemptAt = dueAt;
    deps.scheduler.at(dueAt, () => void attempt(delivery, dueAt).then(afterFirst));
  };

  return {
    /** Adds it to the history and the counters, as pending. */
    record: (delivery: Delivery) => {
      totals[delivery.duplicate ? "duplicates" : "notifications"] += 1;
      totals.pending += 1;
      kept.push(delivery);
    },
    /** Makes the first attempt at `dueAt`, and up to four more until one is answered with 2xx. */
    send: plan,
    /** Sends nothing, but the log shows the attempts that `logged` stands for. */
    drop: (delivery: Delivery, logged: LostAs) => {
      settle(delivery, "dropped");
      if (delivery.entryId === null) return;
      let at = delivery.createdAt;
      for (let made = 1; made <= (logged === "failed" ? maxAttempts : 1); made += 1) {
        sentLog.attempted(delivery.entryId, at, logged === "failed" ? null : 200);
        at = retryAt(delivery, made, at);
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
