/** A record that a log is known to have held. No two logs give one offset the same time. */
export type Mark = { offset: number; timestampMs: number };

/** A mark as text, short and without spaces: it stands beside committed offsets. */
export const writeMark = ({ offset, timestampMs }: Mark): string =>
  `${offset.toString(36)}@${timestampMs.toString(36)}`;

export const readMark = (text: string): Mark | null => {
  const [, offset, timestampMs] = /^([0-9a-z]+)@([0-9a-z]+)$/.exec(text) ?? [];
  if (offset === undefined || timestampMs === undefined) return null;
  return { offset: parseInt(offset, 36), timestampMs: parseInt(timestampMs, 36) };
};

/** What a group has committed for a partition. `note` is the text that Kafka keeps beside the offset. */
export type Committed = { offset: number; note: string };
