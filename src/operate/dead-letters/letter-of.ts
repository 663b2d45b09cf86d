import type { Incoming } from "../../kafka/record.ts";
import { unwrap, type AddedName } from "../../services/dead-letter-headers.ts";
import type { DeadLetter, Original } from "./letter.ts";
import { members } from "../../runtime/json.ts";
import { parseBody } from "../../webhooks-to-events/parse.ts";

const PREVIEW_BYTES = 80;
const DETAIL_BYTES = 1_000;

/** Converts only the start: a slice of a longer string would keep all of it in memory. */
const beginningOf = (bytes: Buffer | null, length: number): string =>
  bytes === null ? "null" : bytes.subarray(0, length).toString("utf8") + (bytes.length > length ? "…" : "");

const sizeOf = ({ key, value, headers }: Original): number =>
  (key?.length ?? 0) + (value?.length ?? 0) + headers.bytes.length;

const numberOf = (text: string | undefined): number => (text === undefined ? Number.NaN : Number(text));

type Added = ReadonlyMap<AddedName, string>;

/** Null where the letter has none: an answer that contradicts a result never was a record. */
const originOf = (added: Added): DeadLetter["origin"] => {
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
  "it has no issuedAt and is older than COMMANDS_MAX_AGE: sent again it would count as new; have the sender send it anew";

/** Why a replay of this letter cannot work; null if nothing is known against it. */
export const obstacleTo = (
  { source, origin }: Pick<DeadLetter, "source" | "origin">,
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
export const letterOf = (record: Incoming, isOld: (timestampMs: number) => boolean): DeadLetter => {
  const unwrapped = unwrap(record.headers);
  const added: Added = unwrapped?.added ?? new Map<AddedName, string>();
  const source = added.has("received-at") ? "webhook" : unwrapped ? "command" : "unknown";
  const receivedAtMs = numberOf(added.get("received-at"));
  const origin = source === "command" ? originOf(added) : null;
  const cut = added.get("cut");
  return {
    place: { partition: record.partition, offset: record.offset },
    timestampMs: record.timestampMs,
    reason: added.get("reason") ?? "",
    detail: beginningOf(Buffer.from(added.get("detail") ?? ""), DETAIL_BYTES),
    source,
    origin,
    receivedAtMs: Number.isFinite(receivedAtMs) ? receivedAtMs : null,
    bytes: sizeOf(record),
    missing: cut === undefined ? null : `it has ${record.value?.length ?? 0} of ${cut} bytes`,
    obstacle: obstacleTo({ source, origin }, record.value, isOld),
    preview: beginningOf(record.value, PREVIEW_BYTES),
  };
};
