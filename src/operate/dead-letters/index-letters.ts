import { createHash } from "node:crypto";
import type { Incoming } from "../../kafka/record.ts";
import { unwrap, type AddedName, type Unwrapped } from "../../bridge/dead-letter-headers.ts";
import type { Original } from "../../bridge/dead-letter-parts.ts";
import type { DeadLetter } from "./letter.ts";
import { members } from "../../runtime/json.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
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

type IsOld = (timestampMs: number) => boolean;

/** One record as a letter. For a letter in parts: its first part stands for all. */
const letterOf = (record: Incoming, unwrapped: Unwrapped | null, isOld: IsOld): DeadLetter => {
  const place: RecordPosition = { partition: record.partition, offset: record.offset };
  const added: Added = unwrapped?.added ?? new Map<AddedName, string>();
  const source = added.has("received-at") ? "webhook" : unwrapped ? "command" : "unknown";
  const receivedAtMs = numberOf(added.get("received-at"));
  const origin = source === "command" ? originOf(added) : null;
  const isPart = added.has("part");
  return {
    place,
    timestampMs: record.timestampMs,
    reason: added.get("reason") ?? "",
    detail: beginningOf(Buffer.from(added.get("detail") ?? ""), DETAIL_BYTES),
    source,
    origin,
    receivedAtMs: Number.isFinite(receivedAtMs) ? receivedAtMs : null,
    bytes: sizeOf(record),
    records: [place],
    missing: null,
    obstacle: isPart ? null : obstacleTo({ source, origin }, record.value, isOld),
    preview: beginningOf(record.value, PREVIEW_BYTES),
  };
};

type Group = { total: number; parts: Map<number, DeadLetter> };

const MISSING_SHOWN = 5;

const missingOf = ({ total, parts }: Group): string | null => {
  const absent: number[] = [];
  for (let number = 1; number <= total && absent.length <= MISSING_SHOWN; number += 1)
    if (!parts.has(number)) absent.push(number);
  if (absent.length === 0) return null;
  const more = absent.length > MISSING_SHOWN ? " and more" : "";
  return `${absent.slice(0, MISSING_SHOWN).join(", ")}${more} of ${total}`;
};

const lettersOf = (group: Group): DeadLetter[] => {
  const parts = [...group.parts].sort(([a], [b]) => a - b).map(([, letter]) => letter);
  const [first] = parts;
  if (!first) return [];
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  const records = parts.map(({ place }) => place);
  return [{ ...first, bytes, records, missing: missingOf(group) }];
};

export type LetterIndex = {
  /** The letter of a record; null if the record is one part of a letter. */
  take: (record: Incoming) => DeadLetter | null;
  /** The letters in parts. Call when everything has been read. */
  inParts: () => DeadLetter[];
};

/** Turns records into letters. Only letters in parts are kept in memory. */
export const letterIndex = (isOld: IsOld): LetterIndex => {
  const groups = new Map<string, Group>();
  return {
    take: (record) => {
      const unwrapped = unwrap(record.headers);
      const letter = letterOf(record, unwrapped, isOld);
      const [, number, total] = /^(\d{1,6})\/(\d{1,6})$/.exec(unwrapped?.added.get("part") ?? "") ?? [];
      if (number === undefined || total === undefined) return letter;
      // Hashed, because an id in a record may be of any length.
      const id = createHash("sha256")
        .update(unwrapped?.added.get("part-id") ?? "")
        .digest("base64");
      const group = groups.get(id) ?? { total: Number(total), parts: new Map<number, DeadLetter>() };
      groups.set(id, group);
      if (!group.parts.has(Number(number))) group.parts.set(Number(number), letter);
      return null;
    },
    inParts: () => [...groups.values()].flatMap(lettersOf),
  };
};
