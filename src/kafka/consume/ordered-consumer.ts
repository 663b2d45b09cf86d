import type { Clock } from "../../runtime/clock.ts";
import type { Committed } from "../mark.ts";
import { messageOf } from "../../runtime/errors.ts";
import type { Log } from "../../runtime/log.ts";
import { heldBytes } from "./held-bytes.ts";
import { keepCommitting } from "./keep-committing.ts";
import { keyOrder, type Place } from "./key-order.ts";
import { watchLag, type Lag } from "./lag.ts";
import { ownCopy, sizeOf } from "./own-copy.ts";
import { startReader, type Reader, type ReaderDeps, type ReaderOptions } from "./reader.ts";
import type { Stretch } from "./reader-hooks.ts";
import type { Incoming } from "../record.ts";
import { noteOf, watchForSameLog, type ClusterQuestions } from "./same-log.ts";
import { endTenure, holdTenure, newTenure, readFrom, untilDone, type Tenure } from "./tenure.ts";
import type { Watermark } from "./watermark.ts";

export type OrderedOptions = ReaderOptions & {
  /** Records handled at once. */
  maxInFlight: number;
  /** Of records taken in and not finished, shared equally by the partitions: one whose share is used up is not read on. */
  maxHeldBytes: number;
  /** What is committed beside the offsets. Null: nothing may be committed now, it would efface what stands there. */
  note?: () => string | null;
};

/**
 * Handles one record. Resolves when its offset may be committed. A rejection leaves the record unfinished: it is handled again after a
 * pause, and its offset holds the partition's commits back meanwhile. `signal` aborts when the partition was lost, the process stops, or the
 * consumer is held: then the record is handled again when it goes on.
 */
export type Handle = (record: Incoming, context: { place: Place; signal: AbortSignal }) => Promise<void>;

export type OrderedConsumer = Pick<Reader, "lastHeartbeat" | "state"> & {
  /** Partitions held now. */
  assignment(): readonly number[];
  unfinished(): number;
  inFlight(): number;
  /** How far what is finished is behind the ends of the partitions held. */
  lag: () => Lag;
  /**
   * While held no record is begun, and those under way are told to stop. It stays a member of its group, and reads on for as long as it may hold
   * what it reads.
   */
  hold: (isHeld: boolean) => void;
  /** Takes nothing new, lets what runs finish for `drainMs` at most, commits, and leaves the group. */
  stop(drainMs: number): Promise<void>;
};

const AGAIN_AFTER_MS = 2_000;

export const startOrderedConsumer = (
  options: OrderedOptions,
  handle: Handle,
  deps: ReaderDeps & { clock: Clock; log: Log; connectCluster: () => Promise<ClusterQuestions> },
): OrderedConsumer => {
  const { clock, log } = deps;
  const order = keyOrder(options.maxInFlight);
  const tenures = new Map<number, Tenure>();
  const held = heldBytes(options.maxHeldBytes, () => tenures.size);
  let stopping = false;

  const lose = (partition: number, tenure: Tenure): void => {
    tenures.delete(partition);
    endTenure(tenure, new Error("the partition went to another replica"));
  };

  const isHeld = (partition: number, tenure: Tenure): boolean =>
    tenures.get(partition) === tenure && !stopping;
  const sameLog = watchForSameLog(options, { ...deps, isHeld, reader: () => reader });

  const assigned = (partitions: readonly number[]): Map<number, number> => {
    const positions = new Map<number, number>();
    for (const [partition, tenure] of tenures) {
      // What another replica may be handling already is none of ours, and its offsets never to be committed by us.
      if (!partitions.includes(partition)) lose(partition, tenure);
      else {
        // kafkajs would start over at the last commit, and hand out again what is being handled here.
        tenure.isSettled = false;
        positions.set(partition, readFrom(tenure));
      }
    }
    const gained = new Map<number, Tenure>();
    for (const partition of partitions) if (!tenures.has(partition)) gained.set(partition, newTenure());
    for (const [partition, tenure] of gained) {
      tenures.set(partition, tenure);
      reader.pause(partition);
    }
    if (gained.size > 0) void sameLog.begin(gained);
    // With fewer of them the shares are larger.
    for (const partition of partitions) makeUse(partition);
    return positions;
  };

  /** Reads on where there is room again. */
  const makeUse = (partition: number): void => {
    const tenure = tenures.get(partition);
    if (tenure?.pausedFor === "room" && !stopping && held.hasRoom(partition))
      sameLog.readOn(partition, tenure);
  };

  const run = (record: Incoming, tenure: Tenure, watermark: Watermark, place: Place): Promise<void> =>
    untilDone(tenure, place, {
      handle: async (signal) => {
        await handle(record, { place, signal });
        watermark.finish(record.offset);
      },
      failed: (error) => {
        const { topic, partition, offset } = record;
        log.error({ topic, partition, offset, reason: messageOf(error) }, "command.stuck");
        return clock.sleep(AGAIN_AFTER_MS, tenure.lost.signal);
      },
    });

  const take = (read: Incoming, tenure: Tenure, watermark: Watermark): void => {
    const record = ownCopy(read);
    const { partition, offset, timestampMs } = record;
    const bytes = sizeOf(record);
    watermark.begin(offset, timestampMs);
    held.add(partition, bytes);
    order.submit(record.key?.toString("latin1") ?? null, async (place) => {
      await run(record, tenure, watermark, place);
      held.remove(partition, bytes);
      makeUse(partition);
    });
  };

  const read = (partition: number, records: readonly Incoming[], { next }: Stretch): void => {
    const tenure = tenures.get(partition);
    const [first] = records;
    if (!tenure || !first || stopping || tenure.pausedFor !== null) return;
    const watermark = sameLog.follow(partition, tenure, first);
    if (!watermark) return;
    for (const record of records) {
      if (record.offset < watermark.next) continue;
      if (held.isFull(partition)) {
        // This one and those behind it are fetched again when there is room.
        tenure.pausedFor = "room";
        reader.pause(partition);
        return;
      }
      take(record, tenure, watermark);
    }
    watermark.pass(next);
  };

  const commit = async (): Promise<void> => {
    const note = options.note ? options.note() : "";
    if (note === null) return;
    const due = new Map<number, Committed & { tenure: Tenure; before: number }>();
    for (const [partition, tenure] of tenures) {
      const { watermark, committed: before } = tenure;
      const offset = watermark?.committable() ?? -1;
      if (watermark && offset > before)
        due.set(partition, { offset, note: `${noteOf(watermark.mark)} ${note}`.trim(), tenure, before });
    }
    if (due.size === 0) return;
    await reader.commit(due);
    for (const { tenure, before, offset } of due.values()) {
      // Unless it was found out meanwhile that the group does not have what it had.
      if (tenure.committed === before) tenure.committed = offset;
    }
  };

  /** What failed may have been that the topic was away: each log is compared with what was read of it. */
  const fetchesAgain = (): void => {
    for (const [partition, tenure] of tenures)
      if (tenure.pausedFor === null && !stopping) sameLog.readOn(partition, tenure);
  };

  const reader = startReader(options, { assigned, read, fetchesAgain }, deps);
  const committing = new AbortController();
  const committed = keepCommitting(commit, { clock, log, signal: committing.signal });
  const lag = watchLag(options.topic, tenures, { ...deps, signal: committing.signal });

  return {
    lastHeartbeat: reader.lastHeartbeat,
    state: reader.state,
    assignment: () => [...tenures.keys()].sort((a, b) => a - b),
    unfinished: () => order.unfinished,
    inFlight: () => order.running,
    lag,
    hold: (isHeld) => {
      if (stopping) return;
      for (const tenure of tenures.values()) holdTenure(tenure, isHeld);
      order.hold(isHeld);
    },
    stop: async (drainMs) => {
      stopping = true;
      for (const partition of tenures.keys()) reader.pause(partition);
      for (const tenure of tenures.values()) endTenure(tenure, new Error("the process stops"));
      // What was never begun ends at once, where it is.
      order.hold(false);
      const until = clock.monotonic() + drainMs;
      while (order.unfinished > 0 && clock.monotonic() < until) await clock.sleep(20);
      committing.abort();
      await committed;
      await reader.stop();
    },
  };
};
