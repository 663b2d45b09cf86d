import { noSuchTopic, withCluster } from "../services/with-cluster.ts";
import { scan, type TakeRecord } from "../kafka/consume/scan.ts";
import type { Range, Ranges } from "../kafka/consume/read-log.ts";
import type { Connections, OnProgress } from "./connections.ts";

/**
 * What is read of a topic: between two times, by the records' timestamps, and of each partition what `narrow` leaves.
 */
export type Reading = {
  topic: string;
  fromMs?: number | undefined;
  toMs?: number | undefined;
  narrow?: (range: Range, partition: number, partitions: number) => Range;
};

export type ReadingHooks = { signal: AbortSignal; onProgress?: OnProgress | undefined };

/** Whether a value may hold this text: JSON may hold it escaped, so such a value has to be read. */
export const mayHold = (value: Buffer | null, text: Buffer): boolean =>
  value !== null && (value.includes(text) || (value[0] === 0x7b && value.includes("\\")));

export const NOTHING: Range = { startOffset: 0, endOffset: 0 };

export const recordsIn = (ranges: Ranges): number =>
  [...ranges.values()].reduce((sum, { startOffset, endOffset }) => sum + endOffset - startOffset, 0);

const rangesOf = (
  { services }: Connections,
  { topic, fromMs, toMs, narrow = (range) => range }: Reading,
): Promise<Ranges> =>
  withCluster(services, async (cluster) => {
    if (!(await cluster.find([topic])).has(topic)) throw noSuchTopic(topic);
    const found = await cluster.ranges(topic, fromMs === undefined ? undefined : Math.max(0, fromMs));
    const ends = toMs === undefined ? null : await cluster.offsetsAt(topic, toMs);
    return new Map(
      [...found].map(([partition, { startOffset, endOffset }]) => {
        const end = Math.max(startOffset, Math.min(ends?.get(partition) ?? endOffset, endOffset));
        return [partition, narrow({ startOffset, endOffset: end }, partition, found.size)];
      }),
    );
  });

/**
 * Reads the records of a topic once, in order within a partition, and gives the offsets between which it read. Throws
 * a UsageError where the topic does not exist.
 */
export const readTopic = async (
  connections: Connections,
  reading: Reading,
  take: TakeRecord,
  { signal, onProgress }: ReadingHooks,
): Promise<Ranges> => {
  const ranges = await rangesOf(connections, reading);
  const total = recordsIn(ranges);
  if (total === 0) return ranges;
  let count = 0;
  onProgress?.({ read: count, total });
  const wanted = new Map([...ranges].filter(([, { startOffset, endOffset }]) => endOffset > startOffset));
  const counted: TakeRecord = (record) => {
    onProgress?.({ read: (count += 1), total });
    return take(record);
  };
  await scan({ topic: reading.topic, ranges: wanted }, counted, connections.services, signal);
  return ranges;
};
