import type { Command as CommandRecord } from "../records.ts";
import type { Check, Checked, Unfit } from "./check.ts";

/** What an Avro decoder says of a value: at once when it knows the writer's schema, later when it must ask for it. */
export type DecodeCommand = (value: Buffer) => Decoded | Promise<Decoded>;

type Decoded = { ok: true; value: CommandRecord } | { ok: false; detail: string };

const OPENING_BRACE = 0x7b;

const unreadable = (message: string): Unfit => ({
  ok: false,
  code: "UNREADABLE_COMMAND",
  message,
  commandId: "",
  operation: "UNKNOWN",
  quoteId: null,
  externalId: null,
});

/** Reads a record's value as a command: JSON where it begins with a brace, Avro otherwise. Rejects when the decoder cannot tell yet. */
export const readCommand =
  ({ check, decode }: { check: Check; decode: DecodeCommand }) =>
  async (value: Buffer | null, timestampMs: number): Promise<Checked> => {
    if (value === null || value.length === 0) return unreadable("the record has no value");
    if (value[0] === OPENING_BRACE) return check.json(value, timestampMs);
    const decoded = await decode(value);
    return decoded.ok ? check.record(decoded.value) : unreadable(decoded.detail);
  };
