export type RecordPosition = { partition: number; offset: number };

/** Where a record stands in a topic that is known, as partition/offset. */
export const positionText = ({ partition, offset }: RecordPosition): string => `${partition}/${offset}`;

/** A record's place as topic[partition]@offset. */
export const placeText = (topic: string, { partition, offset }: RecordPosition): string =>
  `${topic}[${partition}]@${offset}`;

export const isSamePosition = (a: RecordPosition, b: RecordPosition): boolean =>
  a.partition === b.partition && a.offset === b.offset;
