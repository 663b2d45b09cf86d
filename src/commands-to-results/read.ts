import type { Command as CommandRecord } from "../records.ts";
import type { Check, Checked } from "./check.ts";
import { unreadable } from "./refused.ts";
import { id } from "./rules.ts";

/** What an Avro decoder says of a value: at once when it knows the writer's schema, later when it must ask for it. */
export type DecodeCommand = (value: Buffer) => Decoded | Promise<Decoded>;

type Decoded = { ok: true; value: CommandRecord } | { ok: false; detail: string };

const OPENING_BRACE = 0x7b;
/** What a decoder puts in place of bytes that are not UTF-8, and its own bytes, one character each. */
const REPLACEMENT = "\uFFFD";
const REPLACEMENT_BYTES = "\u00EF\u00BF\u00BD";

const countOf = (text: string, part: string): number => text.split(part).length - 1;

/**
 * Whether bytes that are not UTF-8 were replaced when this was decoded: Avro's decoder does so without a word, and two different
 * identifiers could become one.
 */
const wasMended = (record: CommandRecord, value: Buffer): boolean => {
  const found = countOf(JSON.stringify(record), REPLACEMENT);
  return found > 0 && found > countOf(value.toString("latin1"), REPLACEMENT_BYTES);
};

/** Reads a record's value as a command: JSON where it begins with a brace, Avro otherwise. Rejects when the decoder cannot tell yet. */
export const readCommand =
  ({ check, decode }: { check: Check; decode: DecodeCommand }) =>
  async (value: Buffer | null, timestampMs: number): Promise<Checked> => {
    if (value === null || value.length === 0) return unreadable("the record has no value");
    if (value[0] === OPENING_BRACE) return check.json(value, timestampMs);
    const decoded = await decode(value);
    if (!decoded.ok) return unreadable(decoded.detail);
    if (!wasMended(decoded.value, value)) return check.record(decoded.value);
    const { commandId } = decoded.value;
    const isWhole = !commandId.includes(REPLACEMENT) && id(commandId) === null;
    return unreadable("a string is not valid UTF-8", isWhole ? commandId : "");
  };
