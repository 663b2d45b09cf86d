import type { Config } from "../../../config/config.ts";
import type { Cluster } from "../../../kafka/cluster/cluster.ts";
import type { TakeRecord } from "../../../kafka/consume/scan.ts";
import type { Range, Ranges } from "../../../kafka/consume/tail.ts";
import { linkedAbortController } from "../../../runtime/linked-abort.ts";
import { scanRanges } from "../../scan-ranges.ts";
import type { Services } from "../../services.ts";
import { rangesOf, recordsIn } from "../ranges.ts";

export type SearchDeps = { config: Config; services: Services; cluster: Cluster };

/** Partitions by topic. */
export type Partitions = ReadonlyMap<string, ReadonlySet<number>>;

/** What a search has read so far. It reads every record once. */
export type Coverage = {
  /** Reads these partitions since a time (`-Infinity`: all), except for what was read before. */
  cover: (wanted: Partitions, sinceMs: number, signal: AbortSignal) => Promise<void>;
  /** Reads what was written since to the partitions that were read before. */
  catchUp: (signal: AbortSignal) => Promise<void>;
  progress: () => { read: number; total: number };
  /** `sinceMs` as a time to show: for `-Infinity` the time of the oldest record that was read. */
  displaySince: (sinceMs: number | null) => number | null;
  /** The partitions of a topic that were read, or are being read. */
  partitions: (topic: string) => readonly number[];
};

/** `sinceMs`: everything since then was read. */
type Covered = Range & { sinceMs: number };

export const createCoverage = ({ services, cluster }: SearchDeps, take: TakeRecord): Coverage => {
  const topics = new Map<string, Map<number, Covered>>();
  let read = 0;
  let total = 0;
  let oldestMs = Infinity;

  const coveredOf = (topic: string): Map<number, Covered> => {
    const covered = topics.get(topic) ?? new Map<number, Covered>();
    topics.set(topic, covered);
    return covered;
  };

  const readRanges = async (topic: string, ranges: Ranges, signal: AbortSignal): Promise<void> => {
    const size = recordsIn(ranges);
    let seen = 0;
    total += size;
    await scanRanges({ services, signal }, { topic, purpose: "console", ranges }, (record) => {
      seen += 1;
      read += 1;
      oldestMs = Math.min(oldestMs, record.timestampMs);
      return take(record);
    });
    // Offsets without a record (compaction, transaction markers) count as read.
    read += size - seen;
  };

  const coverTopic = async (
    topic: string,
    wanted: ReadonlySet<number>,
    sinceMs: number,
    signal: AbortSignal,
  ): Promise<void> => {
    const covered = coveredOf(topic);
    const missing = [...wanted].filter(
      (partition) => (covered.get(partition)?.sinceMs ?? Infinity) > sinceMs,
    );
    if (missing.length === 0) return;
    const found = await rangesOf(cluster, topic, sinceMs === -Infinity ? undefined : sinceMs);
    const ranges = new Map<number, Range>();
    for (const partition of missing) {
      const range = found.get(partition);
      if (!range) continue;
      const { startOffset, endOffset } = range;
      ranges.set(partition, { startOffset, endOffset: covered.get(partition)?.startOffset ?? endOffset });
    }
    await readRanges(topic, ranges, signal);
    for (const [partition, { startOffset, endOffset }] of ranges) {
      const known = covered.get(partition);
      covered.set(partition, {
        startOffset: Math.min(startOffset, endOffset),
        endOffset: known?.endOffset ?? endOffset,
        sinceMs,
      });
    }
  };

  const catchUpTopic = async (
    topic: string,
    covered: Map<number, Covered>,
    signal: AbortSignal,
  ): Promise<void> => {
    const ends = await rangesOf(cluster, topic);
    const ranges = new Map<number, Range>();
    for (const [partition, { endOffset }] of covered) {
      const end = ends.get(partition)?.endOffset ?? endOffset;
      if (end > endOffset) ranges.set(partition, { startOffset: endOffset, endOffset: end });
    }
    await readRanges(topic, ranges, signal);
    for (const [partition, { endOffset }] of ranges) {
      const known = covered.get(partition);
      if (known) covered.set(partition, { ...known, endOffset });
    }
  };

  /** Runs all at once, because each waits for its consumer group; the first failure ends the others. */
  const together = async (
    tasks: readonly ((signal: AbortSignal) => Promise<void>)[],
    signal: AbortSignal,
  ): Promise<void> => {
    const ended = linkedAbortController(signal);
    const stop = (error: unknown): never => {
      ended.abort(error);
      throw error;
    };
    const running = tasks.map((task) => task(ended.signal).catch(stop));
    try {
      await Promise.all(running);
    } finally {
      await Promise.allSettled(running);
      ended.abort(new Error("all was read"));
    }
  };

  return {
    cover: (wanted, sinceMs, signal) =>
      together(
        [...wanted].map(
          ([topic, partitions]) =>
            (within) =>
              coverTopic(topic, partitions, sinceMs, within),
        ),
        signal,
      ),
    catchUp: (signal) =>
      together(
        [...topics].map(
          ([topic, covered]) =>
            (within) =>
              catchUpTopic(topic, covered, within),
        ),
        signal,
      ),
    progress: () => ({ read, total }),
    displaySince: (sinceMs) =>
      sinceMs === -Infinity ? Math.max(0, Number.isFinite(oldestMs) ? oldestMs : 0) : sinceMs,
    partitions: (topic) => [...(topics.get(topic)?.keys() ?? [])].sort((a, b) => a - b),
  };
};
