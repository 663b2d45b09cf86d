/** Where a record stands in its topic. */
export type Place = { partition: number; offset: number };

/** What is known of a dead letter without its bytes. */
export type Letter = {
  /** Of its first record. */
  place: Place;
  timestampMs: number;
  /** Empty where the record was not written by the bridge. */
  reason: string;
  detail: string;
  source: "webhook" | "command" | "unknown";
  /** Where a command came from. */
  origin: { topic: string; partition: number; offset: number; timestampMs: number } | null;
  /** When a notification came. */
  receivedAtMs: number | null;
  /** Of all its records, about. */
  bytes: number;
  /** All its records, the first part first. */
  records: readonly Place[];
  /** Which of its parts are not there, for people; null where it is whole. */
  missing: string | null;
  /** Why sending it again would come to nothing; null where nothing is known against it. */
  obstacle: string | null;
  /** The beginning of the value, for people. */
  preview: string;
};

/** How people name a letter: `partition/offset`. */
export const refOf = ({ partition, offset }: Place): string => `${partition}/${offset}`;

/** Null for a text that names no letter. */
export const readRef = (text: string): Place | null => {
  const [, partition, offset] = /^(\d{1,9})\/(\d{1,15})$/.exec(text) ?? [];
  return partition === undefined || offset === undefined
    ? null
    : { partition: Number(partition), offset: Number(offset) };
};

/** A place as it is shown, and as it stands in the audit topic. */
export const placeText = (topic: string, { partition, offset }: Place): string =>
  `${topic}[${partition}]@${offset}`;

/** The order of a key, which each partition keeps; notifications in the order of their coming. */
export const inOriginalOrder = (a: Letter, b: Letter): number =>
  (a.receivedAtMs ?? 0) - (b.receivedAtMs ?? 0) ||
  (a.origin?.partition ?? 0) - (b.origin?.partition ?? 0) ||
  (a.origin?.offset ?? 0) - (b.origin?.offset ?? 0) ||
  a.place.partition - b.place.partition ||
  a.place.offset - b.place.offset;
