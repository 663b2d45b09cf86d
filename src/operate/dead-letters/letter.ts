import { unwrap, type AddedName } from "../../dead-letters/headers.ts";
import { ownCopy } from "../../kafka/consume/record-memory.ts";
import type { EncodedHeaders, Incoming } from "../../kafka/record.ts";
import { parseBody } from "../../notification/notification.ts";
import { members } from "../../runtime/json.ts";
import type { Tools } from "../tools.ts";

export type Original = { key: Buffer | null; value: Buffer | null; headers: EncodedHeaders };

const PREVIEW_BYTES = 80;
const DETAIL_BYTES = 1_000;
const NONE_ADDED: ReadonlyMap<AddedName, string> = new Map();

/** Converts only the start: a slice of a longer string would keep all of it in memory. */
const beginningOf = (bytes: Buffer | null, length: number): string =>
  bytes === null ? "null" : bytes.subarray(0, length).toString("utf8") + (bytes.length > length ? "…" : "");

/** A command that says no issuedAt has its record's timestamp, so that it would look new when it is replayed. */
const NO_ISSUED_AT =
  "it has no issuedAt and is older than COMMANDS_MAX_AGE: sent again it would count as new; have the " +
  "sender send it anew";

/** Returns why a replay cannot work, or null. */
export const obstacleTo = (
  { source, origin }: { source: "webhook" | "command" | "unknown"; origin: { timestampMs: number } | null },
  value: Buffer | null,
  { config, clock }: Pick<Tools, "config" | "clock">,
): string | null => {
  if (source === "webhook") {
    const read = parseBody(value ?? Buffer.alloc(0));
    return read.ok ? null : `still not understood: ${read.detail}`;
  }
  const isOld = origin !== null && clock.now() - origin.timestampMs > config.commands.maxAgeMs;
  if (!isOld || value?.[0] !== 0x7b) return null;
  const fields = members(value.toString("utf8"));
  return fields && !fields.some(({ key }) => key === "issuedAt") ? NO_ISSUED_AT : null;
};

export const readLetter = (record: Incoming, tools: Pick<Tools, "config" | "clock">) => {
  const { partition, offset, timestampMs, key, value, headers } = record;
  const unwrapped = unwrap(headers);
  const added = unwrapped?.added ?? NONE_ADDED;
  const bridges = added.has("received-at") ? "webhook" : "command";
  const source: "webhook" | "command" | "unknown" = unwrapped ? bridges : "unknown";
  const receivedAtMs = Number(added.get("received-at"));
  const named = {
    topic: added.get("topic") ?? "",
    partition: Number(added.get("partition")),
    offset: Number(added.get("offset")),
    timestampMs: Number(added.get("timestamp")),
  };
  const origin = source === "command" && named.partition >= 0 && named.offset >= 0 ? named : null;
  const cut = added.get("cut");
  return {
    place: { partition, offset },
    timestampMs,
    /** Empty where the record was not written by the bridge. */
    reason: added.get("reason") ?? "",
    detail: beginningOf(Buffer.from(added.get("detail") ?? ""), DETAIL_BYTES),
    source,
    /** Where a command came from; null for an answer that contradicts a result, which never was a record. */
    origin,
    receivedAtMs: Number.isFinite(receivedAtMs) ? receivedAtMs : null,
    bytes: (key?.length ?? 0) + (value?.length ?? 0) + headers.bytes.length,
    /** What is missing of a value that was too large for the topic, as text; null where it is whole. */
    missing: cut === undefined ? null : `it has ${value?.length ?? 0} of ${cut} bytes`,
    preview: beginningOf(value, PREVIEW_BYTES),
    obstacle: obstacleTo({ source, origin }, value, tools),
  };
};
export type DeadLetter = ReturnType<typeof readLetter>;

export const originalOf = (record: Incoming) => {
  const { key, value, headers } = ownCopy(record);
  const { added, original } = unwrap(headers) ?? { added: NONE_ADDED, original: headers };
  return { original: { key, value, headers: original } satisfies Original, added };
};

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
