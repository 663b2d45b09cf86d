import { readLetter, type Letter } from "../../dead-letters/letter.ts";
import type { Incoming } from "../../kafka/record.ts";
import { members } from "../../runtime/json.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import { parseBody } from "../../notification/notification.ts";

/** Null for a text that is not of the form `partition/offset`. */
export const readRef = (text: string): RecordPosition | null => {
  const [, partition, offset] = /^(\d{1,9})\/(\d{1,15})$/.exec(text) ?? [];
  return partition === undefined || offset === undefined
    ? null
    : { partition: Number(partition), offset: Number(offset) };
};

/**
 * Without issuedAt the record's timestamp counts, so a replayed command would look new, however old it is.
 */
const NO_ISSUED_AT =
  "it has no issuedAt and is older than COMMANDS_MAX_AGE: sent again it would count as new; have the " +
  "sender send it anew";

/** Why a replay of this letter cannot work; null if nothing is known against it. */
export const obstacleTo = (
  { source, origin }: Pick<Letter, "source" | "origin">,
  value: Buffer | null,
  isOld: (timestampMs: number) => boolean,
): string | null => {
  if (source === "webhook") {
    const read = parseBody(value ?? Buffer.alloc(0));
    return read.ok ? null : `still not understood: ${read.detail}`;
  }
  if (origin === null || !isOld(origin.timestampMs) || value?.[0] !== 0x7b) return null;
  const fields = members(value.toString("utf8"));
  return fields && !fields.some(({ key }) => key === "issuedAt") ? NO_ISSUED_AT : null;
};

/** A dead letter. `obstacle`: why a replay of it cannot work; null where nothing is known against it. */
export type DeadLetter = Letter & { obstacle: string | null };

/** @param isOld whether a command of that time is older than COMMANDS_MAX_AGE */
export const letterOf = (record: Incoming, isOld: (timestampMs: number) => boolean): DeadLetter => {
  const letter = readLetter(record);
  return { ...letter, obstacle: obstacleTo(letter, record.value, isOld) };
};

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
