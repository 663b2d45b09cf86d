import type { Mask } from "../../runtime/mask.ts";

/** How much is searched at a time, besides the margin that may hold the start of a secret. */
const WINDOW_BYTES = 65_536;

/**
 * If the stream fails, what came before is given out first, but for the margin, which may hold the start of a secret.
 * @param mask must know each secret as it is and as {@link spelledInBytes}
 * @param hid called with the number of secrets each time that some were masked
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
  try {
    for await (const chunk of chunks) {
      // latin1 maps each byte to one character.
      held += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
      if (held.length >= WINDOW_BYTES + mask.marginBytes) yield shown(held.length - mask.marginBytes);
    }
  } catch (error) {
    yield shown(Math.max(0, held.length - mask.marginBytes));
    throw error;
  }
  yield shown(held.length);
}

/** The UTF-8 bytes of a secret as latin1 characters. Differs from the secret only if it is not pure ASCII. */
export const spelledInBytes = (secret: string): string => Buffer.from(secret).toString("latin1");
