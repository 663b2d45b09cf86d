import { noSuchTopic, withCluster } from "../kafka/cluster/with-cluster.ts";
import { scan, type TakeRecord } from "../kafka/consume/scan.ts";
import { missingText, type Range, type Ranges, type TopicRanges } from "../kafka/ranges.ts";
import { NothingDone } from "./actor.ts";
import type { ToolServices, OnProgress } from "./tool-services.ts";

/**
 * What is read of a topic: between two times, by the records' timestamps, and of each partition what `narrow` leaves.
 */
export type TopicReading = {
  topic: string;
  fromMs?: number | undefined;
  toMs?: number | undefined;
  narrow?: (range: Range, partition: number, partitions: number) => Range;
  /** Nothing may be missing: it is decided by what is found. Else people are told of partitions that cannot be read. */
  isWhole?: boolean;
};

export type ReadingHooks = { signal: AbortSignal; onProgress?: OnProgress | undefined };

/** Whether a value may hold this text: JSON may hold it escaped, so such a value has to be read. */
export const mayHold = (value: Buffer | null, text: Buffer): boolean =>
  value !== null && (value.includes(text) || (value[0] === 0x7b && value.includes("\\")));

export const NOTHING: Range = { startOffset: 0, endOffset: 0 };
/** The range of a partition that cannot be asked. */
const ANY: Range = { startOffset: 0, endOffset: Number.MAX_SAFE_INTEGER };

export const recordsIn = (ranges: Ranges): number =>
  [...ranges.values()].reduce((sum, { startOffset, endOffset }) => sum + endOffset - startOffset, 0);

const rangesOf = async (
  services: ToolServices,
  { topic, fromMs, toMs, narrow = (range) => range }: TopicReading,
): Promise<TopicRanges> =>
  withCluster(services, async (cluster) => {
    if (!(await cluster.find([topic])).has(topic)) throw noSuchTopic(topic);
    const sinceMs = fromMs === undefined ? undefined : Math.max(0, fromMs);
    const { ranges, missing } = await cluster.ranges(topic, sinceMs, toMs);
    const partitions = ranges.size + missing.size;
    const wanted = (partition: number, range: Range): Range => narrow(range, partition, partitions);
    return {
      ranges: new Map([...ranges].map(([partition, range]) => [partition, wanted(partition, range)])),
      missing: new Set(
        [...missing].filter((partition) => recordsIn(new Map([[0, wanted(partition, ANY)]])) > 0),
      ),
    };
  });

/**
 * Reads the records of a topic once, in order within a partition, and gives the offsets between which it read. Throws
 * a UsageError where the topic does not exist.
 */
export const readTopic = async (
  services: ToolServices,
  reading: TopicReading,
  take: TakeRecord,
  { signal, onProgress }: ReadingHooks,
): Promise<Ranges> => {
  const { topic, isWhole = false } = reading;
  const topicRanges = await rangesOf(services, reading);
  const leaveOut = (missing: ReadonlySet<number>): void => {
    if (missing.size === 0) return;
    if (isWhole) throw new NothingDone(`${missingText(topic, missing)}: see docs/failures.md.`);
    services.warn(`Incomplete: ${missingText(topic, missing)}.`);
  };
  leaveOut(topicRanges.missing);
  const { ranges } = topicRanges;
  const total = recordsIn(ranges);
  if (total === 0) return ranges;
  let count = 0;
  onProgress?.({ read: count, total });
  const nonEmpty = new Map([...ranges].filter(([, { startOffset, endOffset }]) => endOffset > startOffset));
  const counted: TakeRecord = (record) => {
    onProgress?.({ read: (count += 1), total });
    return take(record);
  };
  leaveOut(await scan({ topic, ranges: nonEmpty }, counted, services, signal));
  return ranges;
};
