import { backoffMs } from "../../runtime/backoff.ts";
import { DeadlineError, type Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import { yieldToEventLoop } from "../../runtime/event-loop.ts";
import type { Log } from "../../runtime/log.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import { Backlog, type BacklogOptions } from "./backlog.ts";
import { isRefusedByBroker, protocolErrorOf } from "../errors.ts";
import { Lane, MAX_BATCH_RECORDS } from "./lane.ts";
import { newPartitioner } from "./partitioner.ts";
import type { Outgoing } from "../record.ts";
import type { Sent, Session } from "./session.ts";
import type { PendingRecord } from "./pending-record.ts";
import { PublishError } from "./publish-error.ts";

export type PublisherOptions = BacklogOptions & {
  /** A send that takes longer fails, and its session is replaced. */
  sendTimeoutMs: number;
};

/** Writes records to one topic, with acks=all. */
export type Publisher = {
  /** Resolves when all in-sync replicas have the record. Rejects with a {@link PublishError}. */
  publish(record: Outgoing, timeoutMs: number): Promise<RecordPosition>;
  state(): { up: boolean; detail: string; waiting: number };
  /** Waits for pending records for at most `drainMs`, rejects the rest, and closes the connections. */
  close(drainMs: number): Promise<void>;
};

export type PublisherDeps = { open: () => Promise<Session>; clock: Clock; log: Log; random: () => number };

const SWEEP_MS = 50;
const REFRESH_MS = 30_000;
/** A send that takes longer makes the publisher look up the partition leaders again. */
const SLOW_SEND_MS = 1_000;
/** After a failed send the publisher is reported as down for so long, unless another send succeeds. */
const FAULT_HOLDS_MS = 2_000;
const BACKOFF = { baseMs: 100, maxMs: 1_000 };

/**
 * One lane per partition leader with one produce request in flight; the records that arrive meanwhile are the
 * next batch. The records of a failed request go back to their lane, leaders are looked up again, and they
 * are sent again until the deadline of each record.
 */
export const createPublisher = (options: PublisherOptions, deps: PublisherDeps): Publisher => {
  const { topic } = options;
  const { clock, log } = deps;
  const backlog = new Backlog(options);
  const partitionOf = newPartitioner();
  const lanes = new Map<number, Lane>();
  /** Records whose partition has no leader now, or is not chosen yet. */
  let withoutLeader: PendingRecord[] = [];
  let session: Session | null = null;
  let leaders: readonly (number | null)[] = [];
  let stale: "nothing" | "leaders" | "session" = "nothing";
  let fault: string | null = "not connected yet";
  let failures = 0;
  let failedAt = Number.NEGATIVE_INFINITY;
  let checkedAt = 0;
  let closing = false;
  let wake = new AbortController();

  const enqueue = (item: PendingRecord): void => {
    if (item.partition < 0 && leaders.length > 0)
      item.partition = partitionOf(item.record.key, leaders.length);
    const leader = leaders[item.partition] ?? null;
    if (leader === null) {
      withoutLeader.push(item);
      return;
    }
    const lane = lanes.get(leader) ?? new Lane(leader);
    lanes.set(leader, lane);
    lane.push(item);
    if (!lane.isSending) void drain(lane);
  };

  const drain = async (lane: Lane): Promise<void> => {
    lane.isSending = true;
    for (let atMost: number | undefined; ;) {
      // Records that arrive in the same turn of the event loop go into the same batch.
      await yieldToEventLoop();
      if (!session || stale !== "nothing") break;
      const batch = lane.take(atMost);
      if (batch.length === 0) break;
      atMost = (await send(lane, batch, session)) === "refused" ? 1 : undefined;
    }
    lane.isSending = false;
  };

  const send = async (
    lane: Lane,
    batch: PendingRecord[],
    over: Session,
  ): Promise<"done" | "failed" | "refused"> => {
    let left = batch;
    try {
      const { first, failure } = await new Promise<Sent>((resolve, reject) => {
        lane.sending = { batch, giveUp: reject, since: clock.monotonic() };
        over.send(batch).then(resolve, reject);
      });
      backlog.written(batch, first, clock.monotonic());
      left = batch.filter(({ partition }) => !first.has(partition));
      if (failure !== null) throw failure;
      recovered();
      return "done";
    } catch (error) {
      const [only] = left;
      if (isRefusedByBroker(error) && only && left.length === 1) {
        backlog.failed(
          only,
          new PublishError("refused", `${topic} does not take the record: ${messageOf(error)}`, error),
        );
        // The record itself was too large, not the number of records.
        lane.maxBatchRecords = MAX_BATCH_RECORDS;
        return "done";
      }
      lane.giveBack(left);
      if (isRefusedByBroker(error)) {
        lane.maxBatchRecords = Math.max(1, left.length >> 1);
        return "refused";
      }
      failedAt = clock.monotonic();
      // After an error code the connection can be used again. After any other error its state is unknown.
      markStale(protocolErrorOf(error) === "" ? "session" : "leaders", messageOf(error));
      return "failed";
    } finally {
      lane.sending = null;
    }
  };

  const markStale = (what: "leaders" | "session", reason: string): void => {
    if (stale !== "session") stale = what;
    if (fault === null) log.warn({ topic, reason }, "kafka.publisher.down");
    fault = reason;
    wake.abort();
  };

  const recovered = (): void => {
    if (fault !== null) log.info({ topic, partitions: leaders.length }, "kafka.publisher.up");
    fault = null;
    failures = 0;
    failedAt = Number.NEGATIVE_INFINITY;
  };

  /** Moves queued records to the lanes of the current leaders; gives up sends to former leaders. */
  const redistribute = (): void => {
    const items = [...withoutLeader, ...[...lanes.values()].flatMap((lane) => lane.takeAll())];
    withoutLeader = [];
    for (const { sending, leader } of lanes.values())
      if (sending?.batch.some((item) => leaders[item.partition] !== leader))
        sending.giveUp(new Error("the partition has another leader now"));
    items.sort((a, b) => a.sequence - b.sequence).forEach(enqueue);
  };

  /** All unsettled records, and some settled ones. */
  const unsettled = (): PendingRecord[] => [
    ...withoutLeader,
    ...[...lanes.values()].flatMap((lane) => lane.items()),
  ];

  const sweep = (): void => {
    const now = clock.monotonic();
    backlog.expire(unsettled(), now, fault);
    // During an outage the queues are not drained: expired records must not pile up in them.
    withoutLeader = withoutLeader.filter((item) => !item.isSettled);
    if (stale !== "nothing") for (const lane of lanes.values()) lane.dropSettled();
    const lacksLeader = stale === "nothing" && withoutLeader.length > 0;
    let slow = false;
    for (const { sending } of lanes.values()) {
      const ms = sending ? now - sending.since : 0;
      if (ms > options.sendTimeoutMs) sending?.giveUp(new DeadlineError(options.sendTimeoutMs));
      if (ms > SLOW_SEND_MS) slow = true;
    }
    if ((lacksLeader || slow) && now - checkedAt > SLOW_SEND_MS) wake.abort();
  };
  // One timer for all sends: a timer per send would cost more than the rest of sending a single record.
  const sweeper = setInterval(sweep, SWEEP_MS);

  const dropSession = (): void => {
    const old = session;
    session = null;
    // Closed later: sends that are still under way may yet be acknowledged.
    if (old) void clock.sleep(options.sendTimeoutMs).then(() => old.close());
  };

  const pause = async (ms: number): Promise<void> => {
    if (closing) return;
    await clock.sleep(ms, wake.signal).catch(() => undefined);
    wake = new AbortController();
  };

  /** Keeps a session open and the leaders up to date, until the publisher is closed. */
  const maintain = async (): Promise<void> => {
    while (!closing) {
      try {
        session ??= await deps.open();
        leaders = await session.leaders();
        checkedAt = clock.monotonic();
        stale = "nothing";
        redistribute();
        // Known leaders do not prove that they accept records: a recent failed send keeps the publisher down.
        if (checkedAt - failedAt > FAULT_HOLDS_MS) recovered();
        await pause(fault === null ? REFRESH_MS : FAULT_HOLDS_MS);
      } catch (error) {
        markStale("session", messageOf(error));
      }
      if (stale === "nothing") continue;
      if (stale === "session") dropSession();
      wake = new AbortController();
      await pause(backoffMs(BACKOFF, failures, deps.random()));
      failures += 1;
    }
  };
  const maintained = maintain();

  return {
    publish: (record, timeoutMs) =>
      new Promise((resolve, reject) => {
        if (closing) {
          reject(new PublishError("closed", `${topic} takes nothing any more: shutting down`));
          return;
        }
        const now = clock.monotonic();
        const item = backlog.admit(record, now, now + timeoutMs, resolve, reject);
        if (item) enqueue(item);
      }),

    state: () => ({
      up: fault === null,
      detail: fault ?? `${leaders.length} partitions`,
      waiting: backlog.size,
    }),

    close: async (drainMs) => {
      const until = clock.monotonic() + drainMs;
      while (backlog.size > 0 && clock.monotonic() < until) await clock.sleep(10);
      closing = true;
      clearInterval(sweeper);
      backlog.abandon(unsettled());
      wake.abort();
      await maintained;
      await session?.close();
    },
  };
};
