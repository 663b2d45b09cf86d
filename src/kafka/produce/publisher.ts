import { messageOf } from "../../runtime/errors.ts";
import { partitionsHealth, sentenceOf, troubleText, type Health } from "../../runtime/health.ts";
import type { Log } from "../../runtime/log.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import { createBacklog, type BacklogOptions } from "./backlog.ts";
import type { LaneOwner } from "./lane.ts";
import { createLanes } from "./lanes.ts";
import { watchLeaders } from "./leader-watch.ts";
import type { Outgoing } from "../record.ts";
import type { LeaderLookup } from "./session.ts";
import { PublishError } from "./publish-error.ts";
import { createTroubles } from "./troubles.ts";

export type PublisherOptions = BacklogOptions & {
  /** A send that takes longer fails, and its connection is replaced. */
  sendTimeoutMs: number;
};

export type Publisher = ReturnType<typeof createPublisher>;

type Deps = Pick<LaneOwner, "openSender" | "clock" | "random"> & {
  openLookup: () => Promise<LeaderLookup>;
  log: Log;
};

const SWEEP_MS = 50;
const REFRESH_MS = 30_000;
const TROUBLED_REFRESH_MS = 2_000;
/** A send that takes longer makes the publisher look up the partition leaders again. */
const SLOW_SEND_MS = 1_000;
/** The least time between two look-ups for failed sends. */
const LOOK_UP_EVERY_MS = 200;

/**
 * Writes records to one topic, with acks=all. Each leader has a lane with one request in flight; records that arrive
 * meanwhile are the next batch. A partition in trouble gets another lane. What failed is sent again until its deadline.
 */
export const createPublisher = (options: PublisherOptions, deps: Deps) => {
  const { topic, sendTimeoutMs } = options;
  const { clock, log } = deps;
  const backlog = createBacklog(options);
  const troubles = createTroubles(topic, log);
  const closed = new AbortController();

  const owner: LaneOwner = {
    ...deps,
    closed: closed.signal,
    written: (lane, batch, firstOffsets) => {
      backlog.written(batch, firstOffsets, clock.monotonic());
      watch.confirm();
      if (troubles.size === 0) return;
      for (const partition of firstOffsets.keys()) troubles.end(partition);
      lanes.redistribute(lane);
    },
    refused: (item, code, error) =>
      backlog.failed(item, code, `does not take the record: ${messageOf(error)}`, error),
    failed: (lane, unwritten, error, isAnswer) => {
      const lack = { kind: "failing", cause: messageOf(error) } as const;
      const sighting = { lack, now: clock.monotonic(), isApart: isAnswer };
      for (const { partition } of isAnswer ? unwritten : lane.items()) troubles.begin(partition, sighting);
      lanes.redistribute(lane);
      watch.lookUp(LOOK_UP_EVERY_MS);
    },
  };
  const lanes = createLanes(owner, troubles, sendTimeoutMs);
  const watch = watchLeaders({
    ...deps,
    closed: closed.signal,
    refreshMs: () => (troubles.size > 0 ? TROUBLED_REFRESH_MS : REFRESH_MS),
    follow: (leaders) => {
      const noLeader = { lack: { kind: "noLeader" }, now: clock.monotonic(), isApart: true } as const;
      for (const [partition, leader] of leaders.entries())
        if (leader === null) troubles.begin(partition, noLeader);
      lanes.follow(leaders);
    },
  });

  const sweep = (): void => {
    const now = clock.monotonic();
    const waiting = new Set<number>();
    for (const item of lanes.unsettled()) {
      const { partition, isSettled, deadline } = item;
      if (isSettled) continue;
      const trouble = troubles.of(partition);
      if (deadline <= now) {
        const fault = watch.fault();
        const cause = fault ? sentenceOf(fault) : trouble && troubleText(trouble);
        backlog.failed(item, "timeout", `did not acknowledge in time${cause === null ? "" : `: ${cause}`}`);
        continue;
      }
      // One record goes on trying. The senders of the others should not wait in vain.
      if (trouble && waiting.has(partition) && troubles.isStuck(partition, now))
        backlog.failed(item, "timeout", `did not acknowledge: ${troubleText(trouble)}`);
      waiting.add(partition);
    }
    troubles.sweep(now, waiting);
    if (lanes.sweep() > SLOW_SEND_MS) watch.lookUp(SLOW_SEND_MS);
  };
  // One timer for all sends: a timer per send would cost more than the rest of sending a single record.
  const sweeper = setInterval(sweep, SWEEP_MS);

  return {
    /** Resolves when all in-sync replicas have the record. Rejects with a {@link PublishError}. */
    publish: (record: Outgoing, timeoutMs: number): Promise<RecordPosition> =>
      new Promise((resolve, reject) => {
        if (closed.signal.aborted) {
          reject(new PublishError("closed", `${topic} takes nothing any more: shutting down`));
          return;
        }
        const now = clock.monotonic();
        const item = backlog.admit(record, { since: now, deadline: now + timeoutMs, resolve, reject });
        if (!item) {
          reject(new PublishError("overloaded", `too many records wait for ${topic}`));
          return;
        }
        lanes.choosePartition(item);
        const { partition } = item;
        const trouble = troubles.of(partition);
        if (trouble && troubles.isRefusing(partition, now))
          backlog.failed(item, "unavailable", `takes no record there now: ${troubleText(trouble)}`);
        else lanes.enqueue(item);
      }),

    health: (): Health => watch.fault() ?? partitionsHealth(topic, lanes.leaders().length, troubles.all()),
    waiting: backlog.size,

    close: async (drainMs: number): Promise<void> => {
      const drainedByMs = clock.monotonic() + drainMs;
      while (backlog.size() > 0 && clock.monotonic() < drainedByMs) await clock.sleep(10);
      closed.abort();
      clearInterval(sweeper);
      for (const item of lanes.unsettled())
        backlog.failed(item, "closed", "did not acknowledge before the shutdown");
      await Promise.all([watch.close(), lanes.close()]);
    },
  };
};
