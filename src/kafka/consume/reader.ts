import type { Consumer } from "kafkajs";
import { backoffMs } from "../../runtime/backoff.ts";
import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import type { Log } from "../../runtime/log.ts";
import type { NewClient } from "../client.ts";
import type { Committed } from "../mark.ts";
import { onFetchRetry } from "./fetch-retry.ts";
import type { ReaderHooks } from "./reader-hooks.ts";
import { askedFor, recordsOf } from "./record-decoder.ts";
import { groupRoundTrip } from "./group-round-trip.ts";

export type ReaderOptions = {
  topic: string;
  groupId: string;
  sessionTimeoutMs: number;
  /** Per partition and fetch: bounds what can arrive after a pause. */
  maxBytesPerPartition: number;
  /** Waits for so many bytes, but for `fetchWaitMs` at most: fewer and larger fetches, for readers that are in no hurry. */
  minBytes?: number;
  fetchWaitMs?: number;
};

export type Reader = {
  /** Reads nothing more of a partition that is held, also over a rebalance, until it is resumed or lost. */
  pause(partition: number): void;
  /** Reads the partition on from this offset. */
  resume(partition: number, offset: number): void;
  /** Reads on from these offsets, and nothing from any other partition. */
  focus: (positions: ReadonlyMap<number, number>) => void;
  /** Commits for partitions of the current assignment, each with a note. Rejects when the group would not have it; try again later. */
  commit(offsets: ReadonlyMap<number, Committed>): Promise<void>;
  /** Monotonic time at which the group was last asked and said that it holds this member; -Infinity when it does not. */
  lastHeartbeat: () => number;
  state: () => { up: boolean; detail: string };
  /** Leaves the group and closes the connections, bounded in time. */
  stop(): Promise<void>;
};

export type ReaderDeps = { newClient: NewClient; clock: Clock; log: Log; random: () => number };

const FETCH_WAIT_MS = 250;
const CONNECT_TIMEOUT_MS = 15_000;
const CLOSE_TIMEOUT_MS = 5_000;
const WATCH_MS = 500;
/** Fetches return several times a second. Longer than kafkajs's request timeout, so that it may find out by itself first. */
const SILENCE_MS = 10_000;
const BACKOFF = { baseMs: 200, maxMs: 3_000 };

/**
 * Reads a topic as a member of a group, forever. kafkajs gives up for good on many errors and does not notice a frozen broker; here a
 * consumer that crashed or shows no sign of life is thrown away and a new one takes its place.
 */
export const startReader = (options: ReaderOptions, hooks: ReaderHooks, deps: ReaderDeps): Reader => {
  const { topic, groupId, sessionTimeoutMs } = options;
  const { clock, log } = deps;
  const rebalanceTimeoutMs = Math.max(sessionTimeoutMs, 10_000);
  const stopped = new AbortController();
  let consumer: Consumer | null = null;
  let held: readonly number[] = [];
  /** The offset to read next, of partitions that are held and of which it is known. */
  const positions = new Map<number, number>();
  /** Held, and not to be read for now. */
  const paused = new Set<number>();
  let heartbeatAt = Number.NEGATIVE_INFINITY;
  let signAt = 0;
  let joining = true;
  let fault: string | null = "not joined yet";

  /** A join waits for members that have died, without a sign of life. */
  const patienceMs = (): number => SILENCE_MS + (joining ? rebalanceTimeoutMs : 0);

  const leave = (): void => {
    consumer = null;
    heartbeatAt = Number.NEGATIVE_INFINITY;
  };

  const listen = (current: Consumer, fail: (error: Error) => void): void => {
    const { GROUP_JOIN, REBALANCING, HEARTBEAT, FETCH, END_BATCH_PROCESS, STOP, CRASH } = current.events;
    const sinceAskedMs = groupRoundTrip(current);
    // One that was given up may still come through its join before it can be closed: what it says then is nobody's business.
    const isOurs = (): boolean => consumer === current;
    current.on(GROUP_JOIN, ({ payload }) => {
      if (!isOurs()) return;
      signAt = clock.monotonic();
      heartbeatAt = signAt - sinceAskedMs();
      joining = false;
      const partitions = (held = payload.memberAssignment[topic] ?? []);
      if (fault !== null) log.info({ topic, partitions }, "kafka.reader.joined");
      fault = null;
      for (const partition of positions.keys())
        if (!partitions.includes(partition)) positions.delete(partition);
      for (const partition of paused) {
        if (partitions.includes(partition)) continue;
        paused.delete(partition);
        // kafkajs remembers, and would not read it when it comes back.
        current.resume([{ topic, partitions: [partition] }]);
      }
      for (const [partition, offset] of hooks.assigned(partitions)) {
        positions.set(partition, offset);
        current.seek({ topic, partition, offset: String(offset) });
      }
      if (paused.size > 0) current.pause([{ topic, partitions: [...paused] }]);
    });
    current.on(REBALANCING, () => {
      if (isOurs()) joining = true;
    });
    current.on(HEARTBEAT, () => {
      if (!isOurs()) return;
      signAt = clock.monotonic();
      heartbeatAt = signAt - sinceAskedMs();
    });
    current.on(FETCH, () => {
      // With nothing to read kafkajs asks nobody, and calls it a fetch all the same.
      if (isOurs() && held.some((partition) => !paused.has(partition))) signAt = clock.monotonic();
    });
    current.on(END_BATCH_PROCESS, ({ payload: { partition, batchSize, firstOffset, lastOffset } }) => {
      // kafkajs passes over what has no records for anybody, and says so here alone.
      if (!isOurs() || batchSize > 0) return;
      const [from, next] = [Number((firstOffset as string | null) ?? lastOffset), Number(lastOffset) + 1];
      positions.set(partition, next);
      void hooks.read(partition, [], { from, next, isCurrent: isOurs });
    });
    // From here on it throws when it is asked for anything. It says that it has crashed only once its connections are closed.
    current.on(STOP, () => {
      if (isOurs()) leave();
    });
    current.on(CRASH, ({ payload }) => fail(payload.error));
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
      maxWaitTimeInMs: options.fetchWaitMs ?? FETCH_WAIT_MS,
      minBytes: options.minBytes ?? 1,
      allowAutoTopicCreation: false,
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
        eachBatch: async (payload) => {
          const { partition } = payload.batch;
          const isCurrent = (): boolean => consumer === current && payload.isRunning() && !payload.isStale();
          if (!isCurrent()) return;
          const [from, next] = [askedFor(payload), Number(payload.batch.lastOffset()) + 1];
          positions.set(partition, next);
          await hooks.read(partition, recordsOf(payload), { from, next, isCurrent });
        },
      });
      running.catch(fail);
      while (!ended.signal.aborted) {
        await clock.sleep(WATCH_MS, ended.signal).catch(() => undefined);
        const silentMs = clock.monotonic() - signAt;
        if (silentMs > patienceMs())
          fail(new Error(`no sign of life from Kafka for ${Math.round(silentMs)} ms`));
      }
      if (!stopped.signal.aborted) throw ended.signal.reason;
    } finally {
      stopped.signal.removeEventListener("abort", onStop);
      leave();
      // Closed before its join has ended, a kafkajs consumer joins all the same, and holds partitions that nobody reads.
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
        // The client does not say which partition it failed on; an offset in the reason and where each one stood tell it.
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
      consumer?.seek({ topic, partition, offset: String(offset) });
      consumer?.resume([{ topic, partitions: [partition] }]);
    },
    focus: (positions) => {
      if (!consumer || fault !== null) return;
      consumer.pause([{ topic, partitions: held.filter((partition) => !positions.has(partition)) }]);
      for (const [partition, offset] of positions)
        consumer.seek({ topic, partition, offset: String(offset) });
      if (positions.size > 0) consumer.resume([{ topic, partitions: [...positions.keys()] }]);
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
