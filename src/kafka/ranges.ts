/** The offsets that a partition holds: the first one to read, and the one after the last. */
export type Range = { startOffset: number; endOffset: number };
export type Ranges = ReadonlyMap<number, Range>;

/** The ranges of a topic's partitions that could be asked for; `missing`: the partitions that could not. */
export type TopicRanges = { ranges: Ranges; missing: ReadonlySet<number> };

export const missingText = (topic: string, missing: ReadonlySet<number>): string =>
  `${missing.size > 1 ? "partitions" : "partition"} ${[...missing].join(", ")} of ${topic} cannot be read now: ` +
  "no leader answers";
