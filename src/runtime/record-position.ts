/** Where a record stands in its topic. */
export type RecordPosition = { partition: number; offset: number };

/** A record's place as topic[partition]@offset. */
export const placeText = (topic: string, { partition, offset }: RecordPosition): string =>
  `${topic}[${partition}]@${offset}`;
