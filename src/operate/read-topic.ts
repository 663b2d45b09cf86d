import { noSuchTopic, withCluster } from "../kafka/cluster/with-cluster.ts";
import { scan, type TakeRecord } from "../kafka/consume/scan.ts";
import { newPartitioner } from "../kafka/produce/partitioner.ts";
import { missingText, type Ranges, type TopicRanges } from "../kafka/ranges.ts";
import type { Incoming } from "../kafka/record.ts";
import { decoder } from "../kafka/schema/codec.ts";
import { readSchema, type RecordName } from "../kafka/schema/schemas.ts";
import { UsageError } from "../runtime/errors.ts";
import type { RecordPosition } from "../runtime/record-position.ts";
import { whenKnown } from "../runtime/when-known.ts";
import { NothingDone } from "./actor.ts";
import type { Tools } from "./tools.ts";

type TopicReading = {
  topic: string;
  fromMs?: number | undefined;
  /** Only the partitions in which records with these keys stand are read. */
  keys?: Iterable<string> | undefined;
  /** Throws if a partition cannot be read, because a decision rests on the records. Otherwise it only warns. */
  isWhole?: boolean;
};

/** Whether a value may hold this text: JSON may hold it escaped, so such a value has to be read. */
export const mayHold = (value: Buffer | null, text: Buffer): boolean =>
  value !== null && (value.includes(text) || (value[0] === 0x7b && value.includes("\\")));

export const recordsIn = (ranges: Ranges): number =>
  [...ranges.values()].reduce((sum, { startOffset, endOffset }) => sum + endOffset - startOffset, 0);

const rangesOf = (tools: Tools, { topic, fromMs = -Infinity, keys }: TopicReading) =>
  withCluster(tools, async (cluster): Promise<TopicRanges> => {
    if (!(await cluster.find([topic])).has(topic)) throw noSuchTopic(topic);
    const sinceMs = fromMs === -Infinity ? undefined : Math.max(0, fromMs);
    const { ranges, missing } = await cluster.ranges(topic, sinceMs);
    if (keys === undefined) return { ranges, missing };
    const choose = newPartitioner();
    const partitions = ranges.size + missing.size;
    const wanted = new Set(Array.from(keys, (key) => choose(Buffer.from(key), partitions)));
    return {
      ranges: new Map([...ranges].filter(([partition]) => wanted.has(partition))),
      missing: new Set([...missing].filter((partition) => wanted.has(partition))),
    };
  });

/** Gives the offsets between which it read. Throws a UsageError where the topic does not exist. */
export const readTopic = async (tools: Tools, reading: TopicReading, take: TakeRecord): Promise<Ranges> => {
  const { onProgress } = tools;
  const { topic, isWhole = false } = reading;
  const leaveOut = (missing: ReadonlySet<number>): void => {
    const lack = missingText(topic, missing);
    if (missing.size > 0 && isWhole) throw new NothingDone(`${lack}: see docs/failures.md.`);
    if (missing.size > 0) tools.warn(`Incomplete: ${lack}.`);
  };
  const { ranges, missing } = await rangesOf(tools, reading);
  leaveOut(missing);
  const total = recordsIn(ranges);
  if (total === 0) return ranges;
  let read = 0;
  onProgress({ read, total });
  const nonEmpty = new Map([...ranges].filter(([, { startOffset, endOffset }]) => endOffset > startOffset));
  const takeCounted: TakeRecord = (record) => {
    onProgress({ read: (read += 1), total });
    return take(record);
  };
  leaveOut(await scan({ topic, ranges: nonEmpty }, takeCounted, tools, tools.stopped));
  return ranges;
};

/** If the asking fails with a UsageError, it is a warning, and the answer is `otherwise`. */
export const askOrWarn = <T>({ warn }: Pick<Tools, "warn">, asking: Promise<T>, otherwise: T): Promise<T> =>
  asking.catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    warn(error.message);
    return otherwise;
  });

/** Gives what `pick` makes of the records, where that is not null. */
export const collect = async <T>(
  tools: Tools,
  reading: TopicReading,
  pick: (record: Incoming) => T | null | Promise<T | null>,
): Promise<T[]> => {
  const all: T[] = [];
  const keep = (picked: T | null): void => {
    if (picked !== null) all.push(picked);
  };
  await readTopic(tools, reading, (record) => whenKnown(pick(record), keep));
  return all;
};

/** Decodes values of a topic. Gives null for one that cannot be decoded; rejects when the registry does not answer. */
export const valueReader = <T>(tools: Tools, name: RecordName) => {
  const decode = decoder<T>(readSchema(name), tools);
  return async (value: Buffer | null): Promise<T | null> => {
    const decoded = value && (await decode(value));
    return decoded?.ok ? decoded.value : null;
  };
};

/** Reads how people name a record of a known topic, `partition/offset`; null for a text of another form. */
export const readRef = (text: string): RecordPosition | null => {
  const [, partition, offset] = /^(\d{1,9})\/(\d{1,15})$/.exec(text) ?? [];
  return partition === undefined || offset === undefined
    ? null
    : { partition: Number(partition), offset: Number(offset) };
};
