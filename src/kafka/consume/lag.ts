import type { Clock } from "../../runtime/clock.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { Range } from "./tail.ts";
import type { AssignedPartition } from "./assigned-partition.ts";
import type { Watermark } from "./watermark.ts";

/** How far the finished records of a partition are behind its end. */
export type PartitionLag = {
  records: number;
  /** Age of the oldest unfinished record, 0 where there is none: exact when that one was read, otherwise at most too high. Null: unknown. */
  seconds: number | null;
};

/** Partitions that are held, once it is known where the group stands in them and where they end. */
export type Lag = ReadonlyMap<number, PartitionLag>;

type Deps = {
  clock: Pick<Clock, "now" | "sleep">;
  connectCluster: () => Promise<Pick<Cluster, "ranges" | "close">>;
  /** Ends the questions. */
  signal: AbortSignal;
};

const ASK_EVERY_MS = 10_000;

/**
 * Asks the cluster again and again where the partitions end: a partition that is paused or stuck is not fetched, and no fetch would say so.
 * An answer that does not come leaves the last one standing.
 */
export const watchLag = (
  topic: string,
  assignedPartitions: ReadonlyMap<number, AssignedPartition>,
  { clock, connectCluster, signal }: Deps,
): (() => Lag) => {
  let ranges: ReadonlyMap<number, Range> = new Map();
  let askedAt = 0;
  /** When everything that a partition held was known to have been read: what is unread came later. */
  const caughtUpAt = new WeakMap<Watermark, number>();

  const noteCaughtUp = (): void => {
    for (const [partition, { watermark }] of assignedPartitions) {
      const end = ranges.get(partition)?.endOffset;
      if (watermark && end !== undefined && watermark.next >= end) caughtUpAt.set(watermark, askedAt);
    }
  };

  const ask = async (cluster: Pick<Cluster, "ranges">): Promise<void> => {
    const startedAt = clock.now();
    const answer = await cluster.ranges(topic);
    noteCaughtUp();
    ranges = answer;
    askedAt = startedAt;
    noteCaughtUp();
  };

  const askForEver = async (): Promise<void> => {
    let cluster: Awaited<ReturnType<typeof connectCluster>> | null = null;
    while (!signal.aborted) {
      try {
        cluster ??= await connectCluster();
        await ask(cluster);
      } catch {
        // Asked again at the next turn; whether Kafka can be reached is told elsewhere.
      }
      await clock.sleep(ASK_EVERY_MS, signal).catch(() => undefined);
    }
    await cluster?.close();
  };
  void askForEver();

  /** Of the oldest unfinished record. */
  const ageSeconds = (watermark: Watermark): number | null => {
    const position = watermark.committable();
    const { mark } = watermark;
    // One that was not read yet is younger than the one before it, and than the moment when all had been read.
    const since =
      mark?.offset === position
        ? mark.timestampMs
        : Math.max(mark?.timestampMs ?? 0, caughtUpAt.get(watermark) ?? 0);
    return since === 0 ? null : Math.max(0, (clock.now() - since) / 1_000);
  };

  return () => {
    const lag = new Map<number, PartitionLag>();
    for (const [partition, { watermark, pausedFor }] of assignedPartitions) {
      const range = ranges.get(partition);
      if (!range || (!watermark && pausedFor === "place")) continue;
      const position = Math.max(watermark?.committable() ?? 0, range.startOffset);
      const records = Math.max(0, Math.max(range.endOffset, watermark?.next ?? 0) - position);
      lag.set(partition, { records, seconds: records === 0 ? 0 : watermark && ageSeconds(watermark) });
    }
    return lag;
  };
};
