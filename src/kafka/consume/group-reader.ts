import type { Consumer } from "kafkajs";
import { backoffMs } from "../../runtime/backoff.ts";
import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import type { Log } from "../../runtime/log.ts";
import type { NewClient } from "../client.ts";
import type { Committed } from "../mark.ts";
import { onFetchRetry, onUnansweredFetch } from "../kafkajs-fixes/fetch-retry.ts";
import { groupRoundTrip } from "../kafkajs-fixes/heartbeat-age.ts";
import { failingWithoutLeader } from "../kafkajs-fixes/lost-leaders.ts";
import { silenceOf, type Heard } from "../kafkajs-fixes/silence.ts";
import type { Incoming } from "../record.ts";
import { incomingOf } from "../kafkajs-fixes/whole-headers.ts";

export type GroupOptions = { topic: string; groupId: string; sessionTimeoutMs: number };

export type ReaderOptions = GroupOptions & {
  /** Per partition and fetch. Bounds what can still arrive after a pause. */
  maxBytesPerPartition: number;
};

/** Called in order. They must be quick: kafkajs heartbeats between the calls. */
export type ReaderHooks = {
  /**
   * After a rebalance, before any record of the new assignment. Gives the offsets to read from; other partitions start
   * at the group's commits.
   */
  assigned: (partitions: readonly number[]) => ReadonlyMap<number, number>;
  /** @param next the offset to read next: there may be no record right before it */
  read: (partition: number, records: readonly Incoming[], next: number) => void;
  /** A fetch has failed, and kafkajs fetches again. */
  fetchesAgain?: () => void;
};

export type GroupReader = {
  /** Stops reading an assigned partition, also across a rebalance, until it is resumed or revoked. */
  pause(partition: number): void;
  /** Goes on reading the partition at this offset. */
  resume(partition: number, offset: number): void;
  /** Commits offsets of assigned partitions, each with metadata. Rejects if the group refuses; try again later. */
  commit(offsets: ReadonlyMap<number, Committed>): Promise<void>;
  /** Monotonic time of the last request by which the group confirmed this member; -Infinity while it is no member. */
  lastHeartbeat: () => number;
  state: () => { up: boolean; detail: string };
  /** Leaves the group and closes the connections. Bounded in time. */
  stop(): Promise<void>;
};

export type ReaderDeps = { newClient: NewClient; clock: Clock; log: Log; random: () => number };

/** With this, members of a group tell that they are bridges: another program there would take their records. */
export const MEMBER_OF_BRIDGE = "cambio-bridge";

const FETCH_WAIT_MS = 250;
const CONNECT_TIMEOUT_MS = 15_000;
const CLOSE_TIMEOUT_MS = 5_000;
const WATCH_MS = 500;
const BACKOFF = { baseMs: 200, maxMs: 3_000 };

/**
 * Reads a topic as a member of a group until it is stopped. kafkajs gives up for good on many errors, and does not
 * notice a frozen broker. So a consumer that crashed or has been silent for too long is replaced by a new one.
 */
export const startGroupReader = (
  options: ReaderOptions,
  hooks: ReaderHooks,
  deps: ReaderDeps,
): GroupReader => {
  const { topic, groupId, sessionTimeoutMs } = options;
  const { clock, log } = deps;
  const rebalanceTimeoutMs = Math.max(sessionTimeoutMs, 10_000);
  const stopped = new AbortController();
  let consumer: Consumer | null = null;
  let held: readonly number[] = [];
  /** The next offset of each assigned partition, once it is known. */
  const positions = new Map<number, number>();
  /** Assigned partitions that are not read for now. */
  const paused = new Set<number>();
  let heartbeatAt = Number.NEGATIVE_INFINITY;
  let signAt = 0;
  let watchedAt = Number.NEGATIVE_INFINITY;
  let joining = true;
  let fault: string | null = "not joined yet";

  const heard = (): Heard => ({ signAt, heartbeatAt, joinMs: joining ? rebalanceTimeoutMs : 0 });

  const leave = (): void => {
    consumer = null;
    heartbeatAt = Number.NEGATIVE_INFINITY;
  };

  const listen = (current: Consumer, fail: (error: Error) => void): void => {
    const { GROUP_JOIN, REBALANCING, HEARTBEAT, FETCH, STOP, CRASH } = current.events;
    const sinceAskedMs = groupRoundTrip(current);
    // A consumer that was replaced may still finish its join before it is closed: its events are ignored.
    const isOurs = (): boolean => consumer === current;
    current.on(GROUP_JOIN, ({ payload }) => {
      if (isOurs()) heartbeatAt = (signAt = clock.monotonic()) - sinceAskedMs();
      joining = false;
      const partitions = (held = payload.memberAssignment[topic] ?? []);
      if (fault !== null) log.info({ topic, partitions }, "kafka.reader.joined");
      fault = null;
      for (const partition of positions.keys())
        if (!partitions.includes(partition)) positions.delete(partition);
      for (const partition of paused) {
        if (partitions.includes(partition)) continue;
        paused.delete(partition);
        // kafkajs keeps the pause, and would not read the partition when it is assigned again.
        current.resume([{ topic, partitions: [partition] }]);
      }
      for (const [partition, offset] of hooks.assigned(partitions)) {
        positions.set(partition, offset);
        current.seek({ topic, partition, offset: String(offset) });
      }
      if (paused.size > 0) current.pause([{ topic, partitions: [...paused] }]);
    });
    current.on(REBALANCING, () => void (joining ||= isOurs()));
    current.on(HEARTBEAT, () => {
      if (isOurs()) heartbeatAt = (signAt = clock.monotonic()) - sinceAskedMs();
    });
    current.on(FETCH, () => {
      // kafkajs emits FETCH also if every partition is paused, without a request to a broker.
      if (isOurs() && held.some((partition) => !paused.has(partition))) signAt = clock.monotonic();
    });
    // A stopped consumer throws at every call. CRASH follows only after its connections are closed.
    current.on(STOP, () => {
      if (isOurs()) leave();
    });
    current.on(CRASH, ({ payload }) => fail(payload.error));
    onUnansweredFetch(current, { sinceTimerMs: () => clock.monotonic() - watchedAt, unanswered: fail });
    onFetchRetry(current, () => {
      if (isOurs() && fault === null) hooks.fetchesAgain?.();
    });
  };

  const runOnce = async (): Promise<void> => {
    const current = deps.newClient().consumer({
      groupId,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: rebalanceTimeoutMs,
      heartbeatInterval: Math.min(3_000, Math.floor(sessionTimeoutMs / 4)),
      maxBytesPerPartition: options.maxBytesPerPartition,
      maxWaitTimeInMs: FETCH_WAIT_MS,
      allowAutoTopicCreation: false,
      partitionAssigners: [failingWithoutLeader(topic, MEMBER_OF_BRIDGE)],
      retry: {
        retries: 4,
        initialRetryTime: 100,
        maxRetryTime: 1_000,
        restartOnFailure: () => Promise.resolve(false),
      },
    });
    const ended = new AbortController();
    let running: Promise<void> = Promise.resolve();
    const fail = (error: Error): void => ended.abort(error);
    const onStop = (): void => fail(new Error("stopped"));
    stopped.signal.addEventListener("abort", onStop, { once: true });
    listen(current, fail);
    try {
      await clock.withDeadline(CONNECT_TIMEOUT_MS, ended.signal, async () => {
        await current.connect();
        await current.subscribe({ topic, fromBeginning: true });
      });
      consumer = current;
      signAt = clock.monotonic();
      joining = true;
      running = current.run({
        autoCommit: false,
        eachBatch: (payload) => {
          const { batch } = payload;
          if (consumer === current && payload.isRunning() && !payload.isStale()) {
            const { partition, messages } = batch;
            const next = Number(batch.lastOffset()) + 1;
            positions.set(partition, next);
            hooks.read(
              partition,
              messages.map((message) => incomingOf(topic, partition, message)),
              next,
            );
          }
          return Promise.resolve();
        },
      });
      running.catch(fail);
      while (!ended.signal.aborted) {
        watchedAt = clock.monotonic();
        await clock.sleep(WATCH_MS, ended.signal).catch(() => undefined);
        const silence = silenceOf(heard(), sessionTimeoutMs, clock.monotonic());
        if (silence !== null) fail(new Error(silence));
      }
      if (!stopped.signal.aborted) throw ended.signal.reason;
    } finally {
      stopped.signal.removeEventListener("abort", onStop);
      leave();
      // Wait for the join to end: a kafkajs consumer that is closed before joins all the same, and gets partitions that nobody reads.
      const closing = running
        .catch(() => undefined)
        .then(() => current.disconnect())
        .catch(() => undefined);
      await clock.withDeadline(CLOSE_TIMEOUT_MS, undefined, () => closing).catch(() => undefined);
    }
  };

  const run = async (): Promise<void> => {
    for (let failures = 0; !stopped.signal.aborted; failures += 1) {
      const startedAt = clock.monotonic();
      try {
        await runOnce();
      } catch (error) {
        // kafkajs does not say which partition failed. The reason names an offset, and these positions tell whose it is.
        const at = Object.fromEntries(held.map((partition) => [partition, positions.get(partition) ?? null]));
        if (fault === null) log.warn({ topic, reason: messageOf(error), at }, "kafka.reader.lost");
        fault = messageOf(error);
        if (clock.monotonic() - startedAt > 60_000) failures = 0;
        await clock.sleep(backoffMs(BACKOFF, failures, deps.random()), stopped.signal).catch(() => undefined);
      }
    }
  };
  const running = run();
  return {
    pause: (partition) => {
      paused.add(partition);
      if (fault === null) consumer?.pause([{ topic, partitions: [partition] }]);
    },
    resume: (partition, offset) => {
      paused.delete(partition);
      if (fault !== null) return;
      positions.set(partition, offset);
      consumer?.seek({ topic, partition, offset: String(offset) });
      consumer?.resume([{ topic, partitions: [partition] }]);
    },
    commit: async (offsets) => {
      const current = consumer;
      if (!current || fault !== null) throw new Error("not a member of the group now");
      const list = [...offsets].map(([partition, { offset, note: metadata }]) => ({
        topic,
        partition,
        offset: String(offset),
        metadata,
      }));
      await clock.withDeadline(CLOSE_TIMEOUT_MS, undefined, () => current.commitOffsets(list));
    },
    lastHeartbeat: () => heartbeatAt,
    state: () => ({ up: fault === null, detail: fault ?? "joined" }),
    stop: async () => {
      stopped.abort();
      await running;
    },
  };
};
