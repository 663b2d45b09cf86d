import { decoder } from "../../kafka/schema/codec.ts";
import type { Incoming } from "../../kafka/record.ts";
import { readSchema } from "../../kafka/schema/schemas.ts";
import type { Ranges } from "../../kafka/ranges.ts";
import { startTail } from "../../kafka/consume/tail.ts";
import { eventWindow, eventIdentity } from "../event-window.ts";
import type { TransactionStatusUpdated } from "../../records.ts";
import { digestOf } from "../../runtime/digest.ts";
import { isApart, isUp, type Health, type PartitionTrouble } from "../../runtime/health.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import { whenKnown } from "../../runtime/when-known.ts";
import type { Services } from "../../kafka/wire/services.ts";

/** `nextUnknown`: the first unknown offset. The own run: the last unbroken run of this replica's records beyond it. */
type PartitionProgress = { nextUnknown: number; ownRunStart: number; ownRunEnd: number };

const progressFrom = (offset: number): PartitionProgress => ({
  nextUnknown: offset,
  ownRunStart: offset,
  ownRunEnd: offset,
});

/** Own records are not read back: that would add a quarter to the processor time of each webhook (20 to 80 µs). */
export const topicProgress = () => {
  const partitions = new Map<number, PartitionProgress>();

  const progressOf = (partition: number): PartitionProgress => {
    const progress = partitions.get(partition) ?? progressFrom(0);
    partitions.set(partition, progress);
    return progress;
  };
  const skipOwnRun = (progress: PartitionProgress): void => {
    if (progress.ownRunStart <= progress.nextUnknown)
      progress.nextUnknown = Math.max(progress.nextUnknown, progress.ownRunEnd);
  };

  return {
    begin: (ranges: Ranges, count: number): void => {
      // A topic that was deleted and created again may have fewer partitions.
      for (const partition of partitions.keys()) if (partition >= count) partitions.delete(partition);
      for (const [partition, { startOffset }] of ranges) partitions.set(partition, progressFrom(startOffset));
    },
    recordWritten: ({ partition, offset }: RecordPosition): void => {
      const progress = progressOf(partition);
      // If other replicas wrote in between, the earlier run is forgotten: it is read back together with the gap.
      if (offset !== progress.ownRunEnd) progress.ownRunStart = offset;
      progress.ownRunEnd = offset + 1;
      skipOwnRun(progress);
    },
    recordRead: ({ partition, offset }: RecordPosition): void => {
      const progress = progressOf(partition);
      progress.nextUnknown = Math.max(progress.nextUnknown, offset + 1);
      skipOwnRun(progress);
    },
    positions: (): Map<number, number> =>
      new Map([...partitions].map(([partition, { nextUnknown }]) => [partition, nextUnknown])),
    /** Where to read on, for the partitions with unknown records before the ends of these ranges. */
    unread: (ranges: Ranges): Map<number, number> => {
      const ends = [...ranges].map(([partition, { endOffset }]) => ({ partition, endOffset }));
      const unread = ends.filter(({ partition, endOffset }) => progressOf(partition).nextUnknown < endOffset);
      return new Map(unread.map(({ partition }) => [partition, progressOf(partition).nextUnknown]));
    },
  };
};

/** Enough for two hours at ten million transactions a day: see the arithmetic in event-window.ts. */
const MAX_BYTES = 90_000_000;
const CHECK_EVERY_MS = 500;
/** A topic that is shorter in so many checks in a row was created again; a frozen broker is behind for a moment. */
const SHORTER_CHECKS = 4;
/** Large, slow fetches: other replicas' events may come a little later. A fetch ends between two checks. */
const FETCH = { minBytes: 65_536, waitMs: 200 };
/** After this time the process counts as ready without the window: duplicates are better than refused webhooks. */
const READY_AFTER_MS = 15_000;

/** Feeds the dedup window with the events of all replicas. Rejects if Kafka does not answer. */
export const followEvents = async (services: Services, schemaId: number) => {
  const { config, clock, log } = services;
  const windowMs = config.webhook.dedupWindowMs;
  const topic = config.topics.transactionStatus;
  const window = eventWindow({ windowMs, maxBytes: MAX_BYTES });
  const schema = readSchema("transaction-status-updated");
  const decode = decoder<TransactionStatusUpdated>(schema, services, { ownId: schemaId });
  const cluster = await services.connectCluster();
  const progress = topicProgress();
  let firstRanges: Ranges = new Map();
  let partitionCount = 0;
  const startedAt = clock.monotonic();
  let shorterChecks = 0;
  let reading = new Set<number>();

  const take = (record: Incoming): boolean => {
    const { value, timestampMs } = record;
    progress.recordRead(record);
    if (value === null) return true;
    const adding = whenKnown(decode(value), (decoded) => {
      if (!decoded.ok) return;
      const { eventId, direction, occurredAt, transactionId } = decoded.value;
      const [identity, transaction] = [eventIdentity(decoded.value), digestOf(transactionId)];
      window.addIfNew({ eventId, identity, transaction, direction, occurredAt }, timestampMs);
    });
    adding?.catch(() => undefined);
    return true;
  };

  const tail = startTail(
    { topic, ...FETCH },
    {
      begin: (ranges, count) => {
        progress.begin(ranges, count);
        for (const partition of ranges.keys()) reading.delete(partition);
        firstRanges = new Map([...[...firstRanges].filter(([partition]) => partition < count), ...ranges]);
        partitionCount = count;
        return ranges;
      },
      take,
      // An offset may hold no record but the marker of a transaction.
      reached: (partition, next) => progress.recordRead({ partition, offset: next - 1 }),
    },
    { ...services, ranges: () => cluster.ranges(topic, clock.now() - windowMs) },
  );

  const troubles = (): PartitionTrouble[] | null => tail.troublesOf([...progress.unread(firstRanges).keys()]);
  /** Readiness does not wait for a partition that was in trouble, also while it is being read afterwards. */
  const isCaughtUp = (): boolean => troubles() !== null;
  const isLate = (): boolean => clock.monotonic() - startedAt > READY_AFTER_MS;

  /** Once caught up, only partitions in which other replicas have written are read. */
  const check = async (): Promise<void> => {
    if (!isCaughtUp()) return;
    const positions = progress.positions();
    const { ranges, missing } = await cluster.ranges(topic);
    const isShorter = [...positions].some(
      ([partition, next]) => !missing.has(partition) && (ranges.get(partition)?.endOffset ?? 0) < next,
    );
    shorterChecks = isShorter ? shorterChecks + 1 : 0;
    const isReplaced = shorterChecks === SHORTER_CHECKS;
    if (isReplaced) log.warn({ topic }, "events.topic.replaced");
    if (isReplaced || ranges.size + missing.size > partitionCount) {
      shorterChecks = 0;
      tail.restart();
      return;
    }
    // Partitions that cannot be asked now stay wanted, or they would not be read after they get a leader.
    const unread = progress.unread(new Map([...firstRanges, ...ranges]));
    // Partitions that are being read already are left alone until they end.
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
    /** Must be called for each event that this replica has published: it is not read back. */
    recordWritten: progress.recordWritten,
    health: (): Health => {
      const tailHealth = tail.health();
      if (isCaughtUp()) return isUp(tailHealth) ? tailHealth : { kind: "up" };
      if (isLate()) return { kind: "up" };
      return isUp(tailHealth) ? { kind: "reading", left: null } : tailHealth;
    },
    /** Whether all is read that can be read now, or READY_AFTER_MS are over. */
    isRead: (): boolean => isLate() || (troubles()?.every(isApart) ?? false),
    close: async (): Promise<void> => {
      clearInterval(checks);
      await Promise.all([tail.stop(), cluster.close()]);
    },
  };
};
