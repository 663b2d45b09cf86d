/**
 * Offset and timestamp of a record that was read. Recognises a log: a topic that was deleted and created again has
 * another timestamp at that offset.
 */
export type Mark = { offset: number; timestampMs: number };

/** A mark as short text without spaces. It is kept in the metadata of committed offsets. */
export const writeMark = ({ offset, timestampMs }: Mark): string =>
  `${offset.toString(36)}@${timestampMs.toString(36)}`;

export const readMark = (text: string): Mark | null => {
  const [, offset, timestampMs] = /^([0-9a-z]+)@([0-9a-z]+)$/.exec(text) ?? [];
  if (offset === undefined || timestampMs === undefined) return null;
  return { offset: parseInt(offset, 36), timestampMs: parseInt(timestampMs, 36) };
};

/**
 * What a group has committed for a partition. `note` is the commit's metadata, a text that Kafka keeps with the offset.
 */
export type Committed = { offset: number; note: string };
