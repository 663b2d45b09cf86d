import { decoder } from "../../kafka/schema/codec.ts";
import type { Incoming } from "../../kafka/record.ts";
import { readSchema } from "../../kafka/schema/schemas.ts";
import type { Ranges } from "../../kafka/ranges.ts";
import { startTail } from "../../kafka/consume/tail.ts";
import { eventWindow, eventIdentity, type EventWindow } from "../event-window.ts";
import type { TransactionStatusUpdated } from "../../records.ts";
import { digestOf } from "../../runtime/digest.ts";
import { isUp, type Health } from "../../runtime/health.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import { whenKnown } from "../../runtime/when-known.ts";
import type { Services } from "../../kafka/wire/services.ts";

/** `next`: the first unknown offset. `from` to `to`: own records behind it that follow one another. */
type Known = { next: number; from: number; to: number };

/**
 * How far this replica knows each partition of the events topic, by reading records or by having written
 * them. Its own records are not read back where that can be helped: it would add a quarter to the processor time of
 * each webhook (20 to 80 µs, mostly in kafkajs).
 */
export const topicProgress = () => {
  const partitions = new Map<number, Known>();

  const knownOf = (partition: number): Known => {
    const known = partitions.get(partition) ?? { next: 0, from: 0, to: 0 };
    partitions.set(partition, known);
    return known;
  };
  const passOwn = (known: Known): void => {
    if (known.from <= known.next) known.next = Math.max(known.next, known.to);
  };

  return {
    /** These partitions begin at the start of their ranges. */
    begin: (ranges: Ranges, count: number): void => {
      // A topic that was deleted and created again may have fewer partitions.
      for (const partition of partitions.keys()) if (partition >= count) partitions.delete(partition);
      for (const [partition, { startOffset }] of ranges)
        partitions.set(partition, { next: startOffset, from: startOffset, to: startOffset });
    },
    wrote: ({ partition, offset }: RecordPosition): void => {
      const known = knownOf(partition);
      // After a gap, which others have written, only the last run is kept: those before it are read with the gap.
      if (offset !== known.to) known.from = offset;
      known.to = offset + 1;
      passOwn(known);
    },
    read: ({ partition, offset }: RecordPosition): void => {
      const known = knownOf(partition);
      known.next = Math.max(known.next, offset + 1);
      passOwn(known);
    },
    positions: (): ReadonlyMap<number, number> =>
      new Map([...partitions].map(([partition, { next }]) => [partition, next])),
    /** Where to read on, for the partitions with unknown records before the ends of these ranges. */
    unread: (ranges: Ranges): ReadonlyMap<number, number> =>
      new Map(
        [...ranges]
          .map(([partition, { endOffset }]) => ({ partition, endOffset, next: knownOf(partition).next }))
          .filter(({ next, endOffset }) => next < endOffset)
          .map(({ partition, next }) => [partition, next]),
      ),
  };
};

/** The dedup window of this replica, fed with the events of all replicas. */
export type FollowedEvents = {
  window: EventWindow;
  /** Must be called for each event that this replica has published: it is not read back. */
  wrote: (place: RecordPosition) => void;
  health: () => Health;
  close: () => Promise<void>;
};

/** Enough for two hours at ten million transactions a day: see the arithmetic in event-window.ts. */
const MAX_BYTES = 90_000_000;
const CHECK_EVERY_MS = 500;
/**
 * A partition that is shorter than before in this many checks in a row belongs to a topic that was created
 * again. Once is not enough: a broker that was frozen may report an old end for a moment.
 */
const SHORTER_CHECKS = 4;
/** Large, slow fetches: other replicas' events may come a little later. A fetch ends between two checks. */
const FETCH = { minBytes: 65_536, waitMs: 200 };
/**
 * After this the process counts as ready although the window is not read: duplicates are better than refused
 * webhooks.
 */
const READY_AFTER_MS = 15_000;

/** Follows the events topic from the start of the dedup window. Rejects if Kafka does not answer. */
export const followEvents = async (services: Services, schemaId: number): Promise<FollowedEvents> => {
  const { config, clock, log } = services;
  const windowMs = config.webhook.dedupWindowMs;
  const topic = config.topics.transactionStatus;
  const window = eventWindow({ windowMs, maxBytes: MAX_BYTES });
  const decode = decoder<TransactionStatusUpdated>(
    readSchema("transaction-status-updated"),
    services.registry,
    clock.monotonic,
    schemaId,
  );
  const cluster = await services.connectCluster();
  const progress = topicProgress();
  /** The ranges when reading began. */
  let ends: Ranges = new Map();
  let partitions = 0;
  const startedAt = clock.monotonic();
  let shorter = 0;
  /** Partitions that are being read. */
  let reading = new Set<number>();

  const take = (record: Incoming): boolean => {
    const { value, timestampMs } = record;
    progress.read(record);
    if (value === null) return true;
    const noted = whenKnown(decode(value), (decoded) => {
      if (!decoded.ok) return;
      const { eventId, direction, occurredAt, transactionId } = decoded.value;
      const [identity, transaction] = [eventIdentity(decoded.value), digestOf(transactionId)];
      window.note({ eventId, identity, transaction, direction, occurredAt }, timestampMs);
    });
    noted?.catch(() => undefined);
    return true;
  };

  const tail = startTail(
    { topic, ...FETCH },
    {
      begin: (ranges, count) => {
        progress.begin(ranges, count);
        for (const partition of ranges.keys()) reading.delete(partition);
        ends = new Map([...[...ends].filter(([partition]) => partition < count), ...ranges]);
        partitions = count;
        return ranges;
      },
      take,
      // Offsets without a record, such as the marker of a transaction.
      reached: (partition, next) => progress.read({ partition, offset: next - 1 }),
    },
    { ...services, ranges: () => cluster.ranges(topic, clock.now() - windowMs) },
  );

  /** What stands in a partition without a leader is not waited for: nothing can be written there either. */
  const isCaughtUp = (): boolean => tail.excuses([...progress.unread(ends).keys()]) !== null;

  /** Once caught up, only partitions in which other replicas have written are read. */
  const check = async (): Promise<void> => {
    if (!isCaughtUp()) return;
    const before = progress.positions();
    const { ranges, missing } = await cluster.ranges(topic);
    const isShorter = [...before].some(
      ([partition, next]) => !missing.has(partition) && (ranges.get(partition)?.endOffset ?? 0) < next,
    );
    shorter = isShorter ? shorter + 1 : 0;
    if (shorter === SHORTER_CHECKS) {
      shorter = 0;
      log.warn({ topic }, "events.topic.replaced");
      tail.restart();
      return;
    }
    if (ranges.size + missing.size > partitions) {
      tail.restart();
      return;
    }
    // A partition that cannot be asked for now stays wanted: else nobody would read it once it has its leader back.
    const unread = progress.unread(new Map([...ends, ...ranges]));
    // Those that are being read already are left alone until they end.
    if (unread.size > 0 && [...unread.keys()].every((partition) => reading.has(partition))) return;
    reading = new Set(unread.keys());
    tail.focus(unread);
  };
  let checking: Promise<void> | null = null;
  const checks = setInterval(() => {
    checking ??= check()
      .catch(() => undefined)
      .finally(() => (checking = null));
  }, CHECK_EVERY_MS);

  return {
    window,
    wrote: progress.wrote,
    health: () => {
      const followed = tail.health();
      if (isCaughtUp()) return isUp(followed) ? followed : { kind: "up" };
      if (clock.monotonic() - startedAt > READY_AFTER_MS) return { kind: "up" };
      return isUp(followed) ? { kind: "reading", left: null } : followed;
    },
    close: async () => {
      clearInterval(checks);
      await Promise.all([tail.stop(), cluster.close()]);
    },
  };
};
