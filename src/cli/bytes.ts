import { isUtf8 } from "node:buffer";
import { eachHeader } from "../kafka/headers.ts";
import type { EncodedHeaders } from "../kafka/record.ts";

/** UTF-8 as text, other bytes as base64, for JSON. */
export const textOrBase64 = (bytes: Buffer | null): string | { base64: string } | null =>
  bytes === null || isUtf8(bytes) ? (bytes?.toString("utf8") ?? null) : { base64: bytes.toString("base64") };

/** Every header in order, repeated ones too. */
export const headerList = (headers: EncodedHeaders): { name: unknown; value: unknown }[] =>
  [...eachHeader(headers)].map(([name, value]) => ({ name: textOrBase64(name), value: textOrBase64(value) }));

const BYTES_PER_LINE = 16;

/** Lines of offset, bytes in hex, and printable characters. */
export const hexDump = (bytes: Buffer): string[] =>
  Array.from({ length: Math.ceil(bytes.length / BYTES_PER_LINE) }, (_, line) => {
    const row = bytes.subarray(line * BYTES_PER_LINE, (line + 1) * BYTES_PER_LINE);
    const hex = [...row].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = [...row]
      .map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "."))
      .join("");
    const at = (line * BYTES_PER_LINE).toString(16).padStart(8, "0");
    return `${at}  ${hex.padEnd(3 * BYTES_PER_LINE)} ${text}`;
  });
