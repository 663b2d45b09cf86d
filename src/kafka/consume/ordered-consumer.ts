import { setMaxListeners } from "node:events";
import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import type { Log } from "../../runtime/log.ts";
import { heldBytes } from "./held-bytes.ts";
import { keepCommitting } from "./keep-committing.ts";
import { keyOrder, type Place } from "./key-order.ts";
import { ownCopy, sizeOf } from "./own-copy.ts";
import { startReader, type Reader, type ReaderDeps, type ReaderOptions } from "./reader.ts";
import type { Incoming } from "../record.ts";
import { Watermark } from "./watermark.ts";

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
 * pause, and its offset holds the partition's commits back meanwhile. `signal` aborts when the partition was lost or the process stops.
 */
export type Handle = (record: Incoming, context: { place: Place; signal: AbortSignal }) => Promise<void>;

export type OrderedConsumer = Pick<Reader, "lastHeartbeat" | "state"> & {
  /** Partitions held now. */
  assignment(): readonly number[];
  unfinished(): number;
  inFlight(): number;
  /** Takes nothing new, lets what runs finish for `drainMs` at most, commits, and leaves the group. */
  stop(drainMs: number): Promise<void>;
};

/** What is held of a partition between gaining and losing it. */
type Tenure = { watermark: Watermark | null; committed: number; isFull: boolean; lost: AbortController };

const newTenure = (): Tenure => {
  const lost = new AbortController();
  // Each record under way listens to it.
  setMaxListeners(0, lost.signal);
  return { watermark: null, committed: -1, isFull: false, lost };
};

const AGAIN_AFTER_MS = 2_000;

export const startOrderedConsumer = (
  options: OrderedOptions,
  handle: Handle,
  deps: ReaderDeps & { clock: Clock; log: Log },
): OrderedConsumer => {
  const { clock, log } = deps;
  const order = keyOrder(options.maxInFlight, clock);
  const tenures = new Map<number, Tenure>();
  const held = heldBytes(options.maxHeldBytes, () => tenures.size);
  let stopping = false;

  const lose = (partition: number, tenure: Tenure): void => {
    tenures.delete(partition);
    tenure.lost.abort(new Error("the partition went to another replica"));
  };

  const assigned = (partitions: readonly number[]): Map<number, number> => {
    const positions = new Map<number, number>();
    for (const [partition, tenure] of tenures) {
      // What another replica may be handling already is none of ours, and its offsets never to be committed by us.
      if (!partitions.includes(partition)) lose(partition, tenure);
      // kafkajs would start over at the last commit, and hand out again what is being handled here.
      else if (tenure.watermark) positions.set(partition, tenure.watermark.next);
    }
    for (const partition of partitions) {
      if (!tenures.has(partition)) tenures.set(partition, newTenure());
    }
    // With fewer of them the shares are larger.
    for (const partition of partitions) readOn(partition);
    return positions;
  };

  const readOn = (partition: number): void => {
    const tenure = tenures.get(partition);
    if (!tenure?.isFull || !tenure.watermark || stopping || !held.hasRoom(partition)) return;
    tenure.isFull = false;
    reader.resume(partition, tenure.watermark.next);
  };

  const run = async (record: Incoming, tenure: Tenure, watermark: Watermark, place: Place): Promise<void> => {
    const { signal } = tenure.lost;
    const isLost = (): boolean => signal.aborted;
    while (!isLost()) {
      try {
        await handle(record, { place, signal });
        watermark.finish(record.offset);
        break;
      } catch (error) {
        if (isLost()) break;
        const { topic, partition, offset } = record;
        log.error({ topic, partition, offset, reason: messageOf(error) }, "command.stuck");
        place.leave();
        await clock
          .sleep(AGAIN_AFTER_MS, signal)
          .then(() => place.take(signal))
          .catch(() => undefined);
      }
    }
  };

  const take = (read: Incoming, tenure: Tenure, watermark: Watermark): void => {
    const record = ownCopy(read);
    const { partition } = record;
    const bytes = sizeOf(record);
    watermark.begin(record.offset);
    held.add(partition, bytes);
    order.submit(record.key?.toString("latin1") ?? null, async (place) => {
      await run(record, tenure, watermark, place);
      held.remove(partition, bytes);
      readOn(partition);
    });
  };

  const read = (partition: number, records: readonly Incoming[]): void => {
    const tenure = tenures.get(partition);
    if (!tenure || stopping) return;
    for (const record of records) {
      const watermark = (tenure.watermark ??= new Watermark(record.offset));
      if (record.offset < watermark.next) continue;
      if (held.isFull(partition)) {
        // This one and those behind it are fetched again when there is room.
        tenure.isFull = true;
        reader.pause(partition);
        return;
      }
      take(record, tenure, watermark);
    }
  };

  const commit = async (): Promise<void> => {
    const due = new Map<number, number>();
    for (const [partition, { watermark, committed }] of tenures) {
      const offset = watermark?.committable() ?? -1;
      if (offset > committed) due.set(partition, offset);
    }
    const note = options.note?.();
    if (due.size === 0 || note === null) return;
    await reader.commit(due, note);
    for (const [partition, offset] of due) {
      const tenure = tenures.get(partition);
      if (tenure) tenure.committed = offset;
    }
  };

  const reader = startReader(options, { assigned, read }, deps);
  const committing = new AbortController();
  const committed = keepCommitting(commit, { clock, log, signal: committing.signal });

  return {
    lastHeartbeat: reader.lastHeartbeat,
    state: reader.state,
    assignment: () => [...tenures.keys()].sort((a, b) => a - b),
    unfinished: () => order.unfinished,
    inFlight: () => order.running,
    stop: async (drainMs) => {
      stopping = true;
      for (const partition of tenures.keys()) reader.pause(partition);
      for (const tenure of tenures.values()) tenure.lost.abort(new Error("the process stops"));
      const until = clock.monotonic() + drainMs;
      while (order.unfinished > 0 && clock.monotonic() < until) await clock.sleep(20);
      committing.abort();
      await committed;
      await reader.stop();
    },
  };
};
