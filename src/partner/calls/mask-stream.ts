import type { Mask } from "./mask.ts";

/** So much is looked through at a time, beside what may belong to a secret that is not complete. */
const WINDOW_BYTES = 65_536;

/**
 * Hides secrets in bytes of any length that are no text as a whole, and leaves every other byte as it is.
 * @param mask knows the secrets as they are and as {@link spelledInBytes}
 * @param hid hears how many were hidden each time that some were
 */
export async function* maskedBytes(
  chunks: AsyncIterable<Uint8Array>,
  mask: Mask,
  hid: (secrets: number) => void,
): AsyncGenerator<Uint8Array> {
  let held = "";
  const shown = (limit: number): Uint8Array => {
    const { shown: text, taken, hidden } = mask.part(held, limit);
    held = held.slice(taken);
    if (hidden > 0) hid(hidden);
    return Buffer.from(text, "latin1");
  };
  for await (const chunk of chunks) {
    // A character for each byte.
    held += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
    if (held.length >= WINDOW_BYTES + mask.marginBytes) yield shown(held.length - mask.marginBytes);
  }
  yield shown(held.length);
}

/** A secret as it looks in bytes that are read a character each: another one only where it is not pure ASCII. */
export const spelledInBytes = (secret: string): string => Buffer.from(secret).toString("latin1");
