import type { Clock } from "../../runtime/clock.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { Ranges } from "../ranges.ts";
import type { AssignedPartition } from "./assigned-partition.ts";
import type { Watermark } from "./watermark.ts";

/** How far a partition's finished records are behind its end. */
type PartitionLag = {
  records: number;
  /**
   * Age of the oldest unfinished record, 0 without one. Exact once that record was read; until then an upper bound.
   * Null: unknown.
   */
  seconds: number | null;
};

/** By assigned partition, once its committed offset and its end are known. */
type Lag = ReadonlyMap<number, PartitionLag>;

type Deps = {
  clock: Pick<Clock, "now" | "sleep">;
  connectCluster: () => Promise<Pick<Cluster, "ranges" | "close">>;
  /** Ends the polling. */
  signal: AbortSignal;
};

const ASK_EVERY_MS = 10_000;

/**
 * Polls the end offsets of the partitions. Fetches do not report them for a partition that is paused or stuck. When a
 * poll fails, the last offsets are used.
 */
export const watchLag = (
  topic: string,
  assignedPartitions: ReadonlyMap<number, AssignedPartition>,
  { clock, connectCluster, signal }: Deps,
): { lag: () => Lag; share: () => number } => {
  let ranges: Ranges = new Map();
  let askedAt = 0;
  /** When a partition was last known to be read to its end: records that are still unread were written later. */
  const caughtUpAt = new WeakMap<Watermark, number>();

  const noteCaughtUp = (): void => {
    for (const [partition, { watermark }] of assignedPartitions) {
      const end = ranges.get(partition)?.endOffset;
      if (watermark && end !== undefined && watermark.next >= end) caughtUpAt.set(watermark, askedAt);
    }
  };

  const askForEver = async (): Promise<void> => {
    let cluster: Awaited<ReturnType<typeof connectCluster>> | null = null;
    while (!signal.aborted) {
      try {
        cluster ??= await connectCluster();
        const startedAt = clock.now();
        const { ranges: answer } = await cluster.ranges(topic);
        noteCaughtUp();
        // Of a partition that was not answered for, the last ones are used, too.
        ranges = new Map([...ranges, ...answer]);
        askedAt = startedAt;
        noteCaughtUp();
      } catch {
        // The next poll tries again; the reader reports that Kafka is unreachable.
      }
      await clock.sleep(ASK_EVERY_MS, signal).catch(() => undefined);
    }
    await cluster?.close();
  };
  void askForEver();

  /** Age of the oldest unfinished record. */
  const ageSeconds = (watermark: Watermark): number | null => {
    const position = watermark.committable();
    const { mark } = watermark;
    // An unread record is younger than the record before it, and than the last time when all was read.
    const since =
      mark?.offset === position
        ? mark.timestampMs
        : Math.max(mark?.timestampMs ?? 0, caughtUpAt.get(watermark) ?? 0);
    return since === 0 ? null : Math.max(0, (clock.now() - since) / 1_000);
  };

  const lagOf = (): Lag => {
    const lag = new Map<number, PartitionLag>();
    for (const [partition, { watermark }] of assignedPartitions) {
      const range = ranges.get(partition);
      if (!range || !watermark) continue;
      const position = Math.max(watermark.committable(), range.startOffset);
      const records = Math.max(0, Math.max(range.endOffset, watermark.next) - position);
      lag.set(partition, { records, seconds: records === 0 ? 0 : ageSeconds(watermark) });
    }
    return lag;
  };
  return {
    lag: lagOf,
    /** The part of the topic's partitions that are assigned; 0 while the number of them is unknown. */
    share: () => (ranges.size === 0 ? 0 : assignedPartitions.size / ranges.size),
  };
};
