/** Offset and timestamp of a record that was read: a topic that was created again has another timestamp there. */
export type Mark = { offset: number; timestampMs: number };

/** A mark as short text without spaces. It is kept in the metadata of committed offsets. */
export const writeMark = ({ offset, timestampMs }: Mark): string =>
  `${offset.toString(36)}@${timestampMs.toString(36)}`;

export const readMark = (text: string): Mark | null => {
  const [, offset, timestampMs] = /^([0-9a-z]+)@([0-9a-z]+)$/.exec(text) ?? [];
  if (offset === undefined || timestampMs === undefined) return null;
  return { offset: parseInt(offset, 36), timestampMs: parseInt(timestampMs, 36) };
};

/** What a group has committed for a partition. `note`: the text that Kafka keeps with the offset. */
export type Committed = { offset: number; note: string };
