import { isUtf8 } from "node:buffer";
import { eachHeader } from "../kafka/headers.ts";
import type { EncodedHeaders } from "../kafka/record.ts";

/** UTF-8 as text, other bytes as base64, for JSON. */
export const textOrBase64 = (bytes: Buffer | null): string | { base64: string } | null =>
  bytes === null || isUtf8(bytes) ? (bytes?.toString("utf8") ?? null) : { base64: bytes.toString("base64") };

/** Every header in order, repeated ones too. */
export const headerList = (headers: EncodedHeaders): { name: unknown; value: unknown }[] =>
  [...eachHeader(headers)].map(([name, value]) => ({ name: textOrBase64(name), value: textOrBase64(value) }));
