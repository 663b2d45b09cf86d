import type { Command as CommandRecord } from "../records.ts";
import { leadingCommandId, unreadable, type Checked, type checkFor } from "./check.ts";
import { id } from "./field-rules.ts";
import { whenKnown } from "../runtime/when-known.ts";

/** Synchronous when the writer's schema is known, a promise when the registry must be asked. */
export type DecodeCommand = (value: Buffer) => Decoded | Promise<Decoded>;

/** `first`: the first field of a damaged value, if it is a text and whole. */
type Decoded =
  { ok: true; value: CommandRecord } | { ok: false; detail: string; first?: { name: string; text: string } };

/** Parsed, a value takes sixty times as much: a compressed one of megabytes would end every replica that reads it. */
const MAX_COMMAND_BYTES = 1_048_576;
const OPENING_BRACE = 0x7b;
/** U+FFFD, which decoders put in place of invalid UTF-8, and its own UTF-8 bytes as latin1. */
const REPLACEMENT = "\uFFFD";
const REPLACEMENT_BYTES = "\u00EF\u00BF\u00BD";

const countOf = (text: string, part: string): number => text.split(part).length - 1;

/** Whether decoding replaced invalid UTF-8. Avro's decoder does so silently, and two different ids could become one. */
const hadInvalidUtf8 = (record: CommandRecord, value: Buffer): boolean => {
  const replacements = countOf(JSON.stringify(record), REPLACEMENT);
  return replacements > 0 && replacements > countOf(value.toString("latin1"), REPLACEMENT_BYTES);
};

/** A commandId from a value whose UTF-8 may be invalid; empty where it could be another one. */
const commandIdUnlessDamaged = (commandId: string): string =>
  !commandId.includes(REPLACEMENT) && id(commandId) === null ? commandId : "";

/** Reads a value as JSON if it begins with a brace, else as Avro. Rejects when the registry does not answer. */
export const readCommand =
  ({ check, decode }: { check: ReturnType<typeof checkFor>; decode: DecodeCommand }) =>
  (value: Buffer | null, timestampMs: number): Checked | Promise<Checked> => {
    if (value === null || value.length === 0) return unreadable("the record has no value");
    const isJson = value[0] === OPENING_BRACE;
    if (value.length > MAX_COMMAND_BYTES) {
      const commandId = isJson ? leadingCommandId(value) : "";
      return unreadable(`the value is larger than ${MAX_COMMAND_BYTES} bytes`, commandId);
    }
    if (isJson) return check.json(value, timestampMs);
    return whenKnown(decode(value), (decoded) => {
      if (!decoded.ok) {
        const { detail, first } = decoded;
        return unreadable(detail, first?.name === "commandId" ? commandIdUnlessDamaged(first.text) : "");
      }
      if (!hadInvalidUtf8(decoded.value, value)) return check.record(decoded.value);
      return unreadable("a string is not valid UTF-8", commandIdUnlessDamaged(decoded.value.commandId));
    });
  };
