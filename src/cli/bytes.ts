import { isUtf8 } from "node:buffer";
import { eachHeader } from "../kafka/headers.ts";
import type { EncodedHeaders } from "../kafka/record.ts";

export const textOrBase64 = (bytes: Buffer | null): string | { base64: string } | null =>
  bytes === null || isUtf8(bytes) ? (bytes?.toString("utf8") ?? null) : { base64: bytes.toString("base64") };

export const headerTexts = (headers: EncodedHeaders): Record<string, unknown> => {
  const byName = Map.groupBy(eachHeader(headers), ([name]) => name.toString("utf8"));
  return Object.fromEntries(
    [...byName].map(([name, all]) => {
      const [first, ...more] = all.map(([, value]) => textOrBase64(value));
      return [name, more.length === 0 ? first : [first, ...more]];
    }),
  );
};
