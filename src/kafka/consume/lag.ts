import type { Clock } from "../../runtime/clock.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { Ranges } from "../ranges.ts";
import type { AssignedPartition } from "./assigned-partition.ts";
import type { Watermark } from "./watermark.ts";

type Deps = {
  clock: Pick<Clock, "now" | "sleep">;
  connectCluster: () => Promise<Pick<Cluster, "ranges" | "close">>;
  signal: AbortSignal;
};

const ASK_EVERY_MS = 10_000;

/** Polls end offsets, which fetches do not report for a paused partition. After a failed poll the last ones count. */
export const watchLag = (
  topic: string,
  assignedPartitions: ReadonlyMap<number, AssignedPartition>,
  { clock, connectCluster, signal }: Deps,
) => {
  let ranges: Ranges = new Map();

  const askForEver = async (): Promise<void> => {
    let cluster: Awaited<ReturnType<typeof connectCluster>> | null = null;
    while (!signal.aborted) {
      try {
        cluster ??= await connectCluster();
        const askedAtMs = clock.now();
        ranges = new Map([...ranges, ...(await cluster.ranges(topic)).ranges]);
        for (const [partition, { watermark }] of assignedPartitions)
          if (watermark && watermark.next >= (ranges.get(partition)?.endOffset ?? Infinity))
            watermark.caughtUpAtMs = askedAtMs;
      } catch {
        // The next poll tries again; the reader reports that Kafka is unreachable.
      }
      await clock.sleep(ASK_EVERY_MS, signal).catch(() => undefined);
    }
    await cluster?.close();
  };
  void askForEver();

  const ageSeconds = (watermark: Watermark): number | null => {
    const position = watermark.committable();
    const { offset, timestampMs } = watermark.mark ?? { offset: -1, timestampMs: 0 };
    // An unread record is younger than the record before it, and than the last time when all was read.
    const sinceMs = offset === position ? timestampMs : Math.max(timestampMs, watermark.caughtUpAtMs);
    return sinceMs === 0 ? null : Math.max(0, (clock.now() - sinceMs) / 1_000);
  };

  return {
    /** By assigned partition, once its end is known. The age of a record that is not read yet is an upper bound. */
    lag: () => {
      const lag = new Map<number, { records: number; seconds: number | null }>();
      for (const [partition, { watermark }] of assignedPartitions) {
        const range = ranges.get(partition);
        if (!range || !watermark) continue;
        const position = Math.max(watermark.committable(), range.startOffset);
        const records = Math.max(0, Math.max(range.endOffset, watermark.next) - position);
        lag.set(partition, { records, seconds: records === 0 ? 0 : ageSeconds(watermark) });
      }
      return lag;
    },
    /** The part of the topic's partitions that are assigned; 0 while the number of them is unknown. */
    share: (): number => (ranges.size === 0 ? 0 : assignedPartitions.size / ranges.size),
  };
};
