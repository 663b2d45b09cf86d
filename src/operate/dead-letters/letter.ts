import { unwrap, type AddedName } from "../../services/dead-letter-headers.ts";
import type { EncodedHeaders, Incoming } from "../../kafka/record.ts";
import { members } from "../../runtime/json.ts";
import { positionText, type RecordPosition } from "../../runtime/record-position.ts";
import { parseBody } from "../../notification/notification.ts";

/** The record that became a dead letter. */
export type Original = { key: Buffer | null; value: Buffer | null; headers: EncodedHeaders };

/** Where a command came from. */
type Origin = { topic: string; partition: number; offset: number; timestampMs: number };

/** How people name a dead letter: `partition/offset`. */
export const refOf: (place: RecordPosition) => string = positionText;

/** Null for a text that is not of the form `partition/offset`. */
export const readRef = (text: string): RecordPosition | null => {
  const [, partition, offset] = /^(\d{1,9})\/(\d{1,15})$/.exec(text) ?? [];
  return partition === undefined || offset === undefined
    ? null
    : { partition: Number(partition), offset: Number(offset) };
};

const PREVIEW_BYTES = 80;
const DETAIL_BYTES = 1_000;

/** Converts only the start: a slice of a longer string would keep all of it in memory. */
const beginningOf = (bytes: Buffer | null, length: number): string =>
  bytes === null ? "null" : bytes.subarray(0, length).toString("utf8") + (bytes.length > length ? "…" : "");

const numberOf = (text: string | undefined): number => (text === undefined ? Number.NaN : Number(text));

type Added = ReadonlyMap<AddedName, string>;

/** Null where the letter has none: an answer that contradicts a result never was a record. */
const originOf = (added: Added): Origin | null => {
  const origin = {
    topic: added.get("topic") ?? "",
    partition: numberOf(added.get("partition")),
    offset: numberOf(added.get("offset")),
    timestampMs: numberOf(added.get("timestamp")),
  };
  return origin.partition >= 0 && origin.offset >= 0 ? origin : null;
};

/**
 * Without issuedAt the record's timestamp counts, so a replayed command would look new, however old it is.
 */
const NO_ISSUED_AT =
  "it has no issuedAt and is older than COMMANDS_MAX_AGE: sent again it would count as new; have the " +
  "sender send it anew";

/** Why a replay of this letter cannot work; null if nothing is known against it. */
export const obstacleTo = (
  { source, origin }: { source: string; origin: Origin | null },
  value: Buffer | null,
  isOld: (timestampMs: number) => boolean,
): string | null => {
  if (source === "webhook") {
    const read = parseBody(value ?? Buffer.alloc(0));
    return read.ok ? null : `still not understood: ${read.detail}`;
  }
  if (origin === null || !isOld(origin.timestampMs) || value?.[0] !== 0x7b) return null;
  const found = members(value.toString("utf8"));
  return found && !found.some(({ key }) => key === "issuedAt") ? NO_ISSUED_AT : null;
};

/** One record as a letter. `isOld`: whether a command of that time is older than COMMANDS_MAX_AGE. */
export const letterOf = (record: Incoming, isOld: (timestampMs: number) => boolean) => {
  const { partition, offset, timestampMs, key, value, headers } = record;
  const unwrapped = unwrap(headers);
  const added: Added = unwrapped?.added ?? new Map<AddedName, string>();
  const bridges = added.has("received-at") ? "webhook" : "command";
  const source: "webhook" | "command" | "unknown" = unwrapped ? bridges : "unknown";
  const receivedAtMs = numberOf(added.get("received-at"));
  const origin = source === "command" ? originOf(added) : null;
  const cut = added.get("cut");
  return {
    place: { partition, offset },
    timestampMs,
    /** Empty where the record was not written by the bridge. */
    reason: added.get("reason") ?? "",
    detail: beginningOf(Buffer.from(added.get("detail") ?? ""), DETAIL_BYTES),
    source,
    origin,
    /** When a notification was received. */
    receivedAtMs: Number.isFinite(receivedAtMs) ? receivedAtMs : null,
    /** Approximate size. */
    bytes: (key?.length ?? 0) + (value?.length ?? 0) + headers.bytes.length,
    /** What is missing of a value that was too large for the topic, as text; null where it is whole. */
    missing: cut === undefined ? null : `it has ${value?.length ?? 0} of ${cut} bytes`,
    /** Why a replay of it cannot work; null where nothing is known against it. */
    obstacle: obstacleTo({ source, origin }, value, isOld),
    preview: beginningOf(value, PREVIEW_BYTES),
  };
};

/** A dead letter without its bytes. */
export type DeadLetter = ReturnType<typeof letterOf>;

/**
 * Commands in the order of their partition, so that each key keeps its order; notifications as they were
 * received.
 */
export const inOriginalOrder = (a: DeadLetter, b: DeadLetter): number =>
  (a.receivedAtMs ?? 0) - (b.receivedAtMs ?? 0) ||
  (a.origin?.partition ?? 0) - (b.origin?.partition ?? 0) ||
  (a.origin?.offset ?? 0) - (b.origin?.offset ?? 0) ||
  a.place.partition - b.place.partition ||
  a.place.offset - b.place.offset;

/** What a dead letter's reason means, and what to do. */
const REASONS = {
  UNREADABLE_COMMAND:
    "The record is no command: neither JSON nor Avro of a known schema. Its sender got a result, " +
    "REJECTED. Have the sender send it anew under a new commandId; replay it only when what kept it from " +
    "being read is gone, such as a schema that was not registered, and its sender confirms that no other " +
    "command was sent in its place: it would be executed as well.",
  UNREADABLE_NOTIFICATION:
    "The notification is authentic, but was not understood, or its event was larger than the topic took. " +
    "Replay it once the bridge understands it, or the topic takes it.",
  COMMAND_ID_REUSED:
    "The commandId was used before for another command. It was not executed. Have the sender send it " +
    "under a new commandId; a replay would be refused again.",
  CONTRADICTING_ANSWER:
    "An answer of the partner came after a final result, and says the opposite of it. Look into it at " +
    "once, at the partner's; it is no command and is never replayed.",
};
/** A Map, because the reason is anybody's text: an object also has members such as "constructor". */
const MEANINGS: ReadonlyMap<string, string> = new Map(Object.entries(REASONS));

export const explainReason = (reason: string): string =>
  MEANINGS.get(reason) ?? "This version of the bridge does not know the reason. Look at the detail.";
