import type { Consumer } from "kafkajs";
import { backoffMs } from "../../runtime/backoff.ts";
import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import { disconnected, type Health } from "../../runtime/health.ts";
import { linkedAbortController } from "../../runtime/abort.ts";
import type { Log } from "../../runtime/log.ts";
import type { NewClient } from "../client.ts";
import type { Committed } from "../mark.ts";
import { readingNothing } from "../kafkajs-fixes/unread-offsets.ts";
import { groupRoundTrip, silenceOf, type Heard } from "../kafkajs-fixes/silence.ts";

export type GroupOptions = {
  topic: string;
  groupId: string;
  sessionTimeoutMs: number;
  /** It is asked often. While it returns false, this replica does not join, and leaves. If absent, it may always join. */
  mayJoin?: (() => boolean) | undefined;
};

export type GroupDeps = { newClient: NewClient; clock: Clock; log: Log; random: () => number };

/** How often kafkajs looks whether a heartbeat is due. */
const ROUND_MS = 250;
const CONNECT_TIMEOUT_MS = 15_000;
const CLOSE_TIMEOUT_MS = 5_000;
const WATCH_MS = 500;
const METADATA_MAX_AGE_MS = 10_000;
const BACKOFF = { baseMs: 200, maxMs: 3_000 };
const RETRY = { retries: 4, initialRetryTime: 100, maxRetryTime: 1_000 };

/**
 * Stays in a group until stopped, and reads nothing: kafkajs would silently start at the log's beginning where an
 * offset is gone. kafkajs gives up for good on many errors: a consumer that crashed or fell silent is replaced.
 * @param onAssigned called after each rebalance, with all partitions that are assigned now
 */
export const joinGroup = (
  { topic, groupId, sessionTimeoutMs, mayJoin = () => true }: GroupOptions,
  onAssigned: (partitions: readonly number[]) => void,
  { newClient, clock, log, random }: GroupDeps,
) => {
  const rebalanceTimeoutMs = Math.max(sessionTimeoutMs, 10_000);
  const stopped = new AbortController();
  let member: (Heard & { consumer: Consumer }) | null = null;
  let fault: Health | null = { kind: "starting" };

  const isStopped = (): boolean => stopped.signal.aborted;

  /** From here on this consumer counts. One that was replaced may still finish its join: its events are ignored. */
  const becomeMember = (consumer: Consumer): Heard => {
    const { GROUP_JOIN, REBALANCING, HEARTBEAT, STOP } = consumer.events;
    const roundTripMs = groupRoundTrip(consumer);
    const lastAnswerAt = clock.monotonic();
    const current = { consumer, lastAnswerAt, heartbeatAt: -Infinity, joinMs: rebalanceTimeoutMs };
    member = current;
    const confirm = (): void => {
      current.lastAnswerAt = clock.monotonic();
      current.heartbeatAt = current.lastAnswerAt - roundTripMs();
    };
    consumer.on(GROUP_JOIN, ({ payload }) => {
      if (member !== current) return;
      consumer.pause([{ topic }]);
      confirm();
      current.joinMs = 0;
      const partitions = payload.memberAssignment[topic] ?? [];
      if (fault !== null) log.info({ topic, partitions }, "kafka.reader.joined");
      fault = null;
      onAssigned(partitions);
    });
    consumer.on(REBALANCING, () => void (current.joinMs = rebalanceTimeoutMs));
    consumer.on(HEARTBEAT, confirm);
    // A stopped consumer throws at every call. CRASH follows only after its connections are closed.
    consumer.on(STOP, () => {
      if (member === current) member = null;
    });
    return current;
  };

  const runOnce = async (): Promise<never> => {
    const consumer = newClient().consumer({
      groupId,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: rebalanceTimeoutMs,
      heartbeatInterval: Math.min(3_000, Math.floor(sessionTimeoutMs / 4)),
      maxWaitTimeInMs: ROUND_MS,
      allowAutoTopicCreation: false,
      metadataMaxAge: METADATA_MAX_AGE_MS,
      partitionAssigners: [readingNothing],
      retry: { ...RETRY, restartOnFailure: () => Promise.resolve(false) },
    });
    const ended = linkedAbortController(stopped.signal);
    let running: Promise<void> = Promise.resolve();
    const fail = (error: Error): void => ended.abort(error);
    consumer.on(consumer.events.CRASH, ({ payload }) => fail(payload.error));
    try {
      await clock.withDeadline(CONNECT_TIMEOUT_MS, ended.signal, async () => {
        await consumer.connect();
        await consumer.subscribe({ topic, fromBeginning: true });
      });
      const heard = becomeMember(consumer);
      running = consumer.run({ autoCommit: false, eachBatch: () => Promise.resolve() });
      running.catch(fail);
      while (mayJoin()) {
        const silence = silenceOf(heard, sessionTimeoutMs, clock.monotonic());
        if (silence !== null) throw new Error(silence);
        await clock.sleep(WATCH_MS, ended.signal);
      }
      onAssigned([]);
      throw new Error(
        "this replica has left the group, because its work cannot go on: see the other components",
      );
    } finally {
      ended.abort();
      member = null;
      // A kafkajs consumer that is closed before its join has ended still joins: nobody would read its partitions.
      const closing = running
        .catch(() => undefined)
        .then(() => consumer.disconnect())
        .catch(() => undefined);
      await clock.within(CLOSE_TIMEOUT_MS, undefined, closing).catch(() => undefined);
    }
  };

  const run = async (): Promise<void> => {
    for (let failures = 0; !isStopped(); failures += 1) {
      if (!mayJoin()) {
        fault = {
          kind: "waiting",
          cause: "this replica joins the group when its work can go on: see the other components",
        };
        await clock.sleep(WATCH_MS / 5, stopped.signal).catch(() => undefined);
        continue;
      }
      const startedAt = clock.monotonic();
      try {
        await runOnce();
      } catch (error) {
        if (isStopped()) return;
        if (fault === null) log.warn({ topic, reason: messageOf(error) }, "kafka.reader.lost");
        fault = disconnected(error, fault, clock);
        if (clock.monotonic() - startedAt > 60_000) failures = 0;
        await clock.sleep(backoffMs(BACKOFF, failures, random()), stopped.signal).catch(() => undefined);
      }
    }
  };
  const running = run();
  return {
    commit: async (offsets: ReadonlyMap<number, Committed>): Promise<void> => {
      if (!member || fault !== null) throw new Error("not a member of the group now");
      const topicOffsets = [...offsets].map(([partition, { offset, note: metadata }]) => ({
        topic,
        partition,
        offset: String(offset),
        metadata,
      }));
      await clock.within(CLOSE_TIMEOUT_MS, undefined, member.consumer.commitOffsets(topicOffsets));
    },
    /** Monotonic time of the last request by which the group confirmed this member; -Infinity while it is no member. */
    lastHeartbeat: (): number => member?.heartbeatAt ?? -Infinity,
    health: (): Health => fault ?? { kind: "up" },
    stop: async (): Promise<void> => {
      stopped.abort();
      await running;
    },
  };
};
