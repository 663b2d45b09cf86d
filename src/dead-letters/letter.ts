import { unwrap, type AddedName } from "./headers.ts";
import { ownCopy } from "../kafka/consume/record-memory.ts";
import type { EncodedHeaders, Incoming } from "../kafka/record.ts";

/** The record that became a dead letter. */
export type Original = { key: Buffer | null; value: Buffer | null; headers: EncodedHeaders };

/** Where a command came from. */
type Origin = { topic: string; partition: number; offset: number; timestampMs: number };

const PREVIEW_BYTES = 80;
const DETAIL_BYTES = 1_000;

/** Converts only the start: a slice of a longer string would keep all of it in memory. */
const beginningOf = (bytes: Buffer | null, length: number): string =>
  bytes === null ? "null" : bytes.subarray(0, length).toString("utf8") + (bytes.length > length ? "…" : "");

const numberOf = (text: string | undefined): number => (text === undefined ? Number.NaN : Number(text));

type Added = ReadonlyMap<AddedName, string>;

/** Returns null if the letter has none: an answer that contradicts a result never was a record. */
const originOf = (added: Added): Origin | null => {
  const origin = {
    topic: added.get("topic") ?? "",
    partition: numberOf(added.get("partition")),
    offset: numberOf(added.get("offset")),
    timestampMs: numberOf(added.get("timestamp")),
  };
  return origin.partition >= 0 && origin.offset >= 0 ? origin : null;
};

/** What a record of the dead-letter topic says, without its bytes. */
export const readLetter = (record: Incoming) => {
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
    preview: beginningOf(value, PREVIEW_BYTES),
  };
};

export type Letter = ReturnType<typeof readLetter>;

/** The record that became a dead letter, and the headers that the bridge added to it. */
export const originalOf = (record: Incoming): { original: Original; added: ReadonlyMap<string, string> } => {
  const { key, value, headers } = ownCopy(record);
  const { added, original } = unwrap(headers) ?? { added: new Map<string, string>(), original: headers };
  return { original: { key, value, headers: original }, added };
};
