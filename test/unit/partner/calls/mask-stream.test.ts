import { expect, it } from "vitest";
import { maskedBytes, spelledInBytes } from "../../../../src/partner/calls/mask-stream.ts";
import { maskFor } from "../../../../src/runtime/mask.ts";

const SECRET = "s3cret/café+1";

/** What comes before any window ends. */
const START_BYTES = 65_000;

async function* chunked(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes.subarray(0, START_BYTES));
  for (let at = START_BYTES; at < bytes.length; at += size)
    yield await Promise.resolve(bytes.subarray(at, at + size));
}

const masked = async (bytes: Buffer, size: number): Promise<{ shown: Buffer; hidden: number }> => {
  const mask = maskFor([SECRET, spelledInBytes(SECRET)]);
  let hidden = 0;
  const shown: Uint8Array[] = [];
  for await (const chunk of maskedBytes(chunked(bytes, size), mask, (count) => (hidden += count)))
    shown.push(chunk);
  return { shown: Buffer.concat(shown), hidden };
};

it("hide a secret wherever chunks and windows cut it, in every spelling", async () => {
  const forms = [
    SECRET,
    encodeURIComponent(SECRET),
    JSON.stringify(SECRET).slice(1, -1).replaceAll("/", "\\/"),
    Array.from(SECRET, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
  ];
  for (const form of forms) {
    const length = Buffer.byteLength(form);
    // Wherever the first window may end.
    for (let before = 65_536 - 2 * length; before <= 65_800; before += 7) {
      const text = `${"x".repeat(before)}${form}\n${"y".repeat(2_000)}`;
      const { shown, hidden } = await masked(Buffer.from(text), 16);
      expect(shown.toString()).toBe(`${"x".repeat(before)}***\n${"y".repeat(2_000)}`);
      expect(hidden).toBe(1);
    }
  }
});
