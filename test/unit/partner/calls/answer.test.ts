import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  bodyText,
  decompressed,
  MAX_RETRY_AFTER_MS,
  readRetryAfter,
  startOfBody,
} from "../../../../src/partner/calls/answer.ts";
import { maskFor } from "../../../../src/runtime/mask.ts";
import { acceptAt, answer, CREDENTIALS } from "../hostile-server.ts";

const mask = maskFor(["secret"]);
const read = (bytes: Buffer | string, maxBytes = 100) => bodyText(Buffer.from(bytes), { maxBytes, mask });
const unpackedText = async (packed: Buffer | string, encoding: string, isCut = false) => {
  const { bytes, hasFailed } = await startOfBody(decompressed([Buffer.from(packed)], encoding, isCut), 100);
  return hasFailed ? null : bytes.toString();
};

describe("bodyText", () => {
  it("is the body as received", () => {
    expect(read('{"a":1.10,"b":"é"}')).toBe('{"a":1.10,"b":"é"}');
    expect(read("")).toBe("");
  });

  it("is cut between characters, not through one", () => {
    expect(read("aé", 2)).toBe("a");
    expect(read("aé", 3)).toBe("aé");
    expect(read("a\u{1f600}b", 4)).toBe("a");
    expect(read("x".repeat(150))).toBe("x".repeat(100));
  });

  it("is bounded as UTF-8, whatever its bytes become", () => {
    const bytesOf = (text: string): number => Buffer.byteLength(text);
    expect(read(Buffer.alloc(150, 0xff))).toBe("\uFFFD".repeat(33));
    expect(bytesOf(read("x".repeat(98) + "secret"))).toBe(100);
    expect(read("€".repeat(50))).toBe("€".repeat(33));
    expect(bytesOf(read(Buffer.from("\u{1f600}".repeat(30)), 99))).toBe(96);
    expect(read("secret", 0)).toBe("");
  });

  it("shows no part of a secret that the cut goes through", () => {
    expect(read("123 secret and more", 7)).toBe("123 ***");
  });

  it("is bounded and masked on its way through the adapter", async () => {
    const body = JSON.stringify(`${"x".repeat(989)}${CREDENTIALS.accessToken}${"y".repeat(100_000)}`);
    const { outcome } = await acceptAt({ onRequest: (socket) => socket.write(answer("200 OK", body)) });
    expect(outcome).toMatchObject({ kind: "executed", answer: { body: `"${"x".repeat(989)}***` } });
  });
});

describe("unpacked", () => {
  const long = `{"success":false,"detail":"${"x".repeat(200)}"}`;
  it.each([
    ["gzip", gzipSync],
    [" X-Gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["identity", (bytes: Buffer) => bytes],
    ["", (bytes: Buffer) => bytes],
  ])("is what was packed by %j, or its start", async (encoding, pack) => {
    const packed = pack(Buffer.from(long));
    expect(long.startsWith((await unpackedText(packed, encoding)) ?? "?")).toBe(true);
    expect((await unpackedText(packed, encoding))?.length).toBeGreaterThanOrEqual(100);
  });

  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
  ])("is nothing of %s that ends early, but the start of what was cut off", async (encoding, pack) => {
    const start = pack(Buffer.from("secret")).subarray(0, -4);
    expect(await unpackedText(start, encoding)).toBeNull();
    expect(await unpackedText(start, encoding, true)).not.toBeNull();
  });

  it("is the start of a bomb, and nothing of what it does not know", async () => {
    expect((await unpackedText(gzipSync(Buffer.alloc(50_000_000)), "gzip"))?.length).toBeLessThan(200_000);
    for (const encoding of ["gzip", "zstd", "gzip, gzip"])
      expect(await unpackedText("not packed", encoding)).toBeNull();
  });
});

const NOW = Date.parse("1994-11-06T08:49:30Z");

describe("readRetryAfter", () => {
  it.each([
    ["0", 0],
    ["2", 2_000],
    [" 120 ", 120_000],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 7_000],
    ["Sun, 06 Nov 1994 08:49:00 GMT", 0],
    ["999999999999", MAX_RETRY_AFTER_MS],
    ["Sun, 06 Nov 2094 08:49:00 GMT", MAX_RETRY_AFTER_MS],
    ["", null],
    ["-1", null],
    ["soon", null],
    ["1994-11-06T08:49:37Z", null],
    ["Sun, 06 Nov 1994 08:49:37 -0300", null],
    ["Sun, 06 Xxx 1994 08:49:37 GMT", null],
  ])("%j is %s", (header, ms) => expect(readRetryAfter(header, NOW)).toBe(ms));

  it("takes the first of several, and nothing from none", () => {
    expect(readRetryAfter(["3", "5"], NOW)).toBe(3_000);
    expect(readRetryAfter(undefined, NOW)).toBeNull();
  });
});
