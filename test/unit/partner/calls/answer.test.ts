import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { bodyText, MAX_RETRY_AFTER_MS, readRetryAfter } from "../../../../src/partner/calls/answer.ts";
import { maskFor } from "../../../../src/runtime/mask.ts";
import { acceptAt, answer, CREDENTIALS } from "../hostile-server.ts";

const mask = maskFor(["secret"]);
const read = (bytes: Buffer | string, encoding?: string, maxBytes = 100) =>
  bodyText(Buffer.from(bytes), { encoding, maxBytes, mask });

describe("bodyText", () => {
  it("is the body as received", () => {
    expect(read('{"a":1.10,"b":"é"}')).toBe('{"a":1.10,"b":"é"}');
    expect(read("")).toBe("");
  });

  it("is cut between characters, not through one", () => {
    expect(read("aé", undefined, 2)).toBe("a");
    expect(read("aé", undefined, 3)).toBe("aé");
    expect(read("a\u{1f600}b", undefined, 4)).toBe("a");
    expect(read("x".repeat(150))).toBe("x".repeat(100));
  });

  it("is bounded as UTF-8, whatever its bytes become", () => {
    const bytesOf = (text: string): number => Buffer.byteLength(text);
    expect(read(Buffer.alloc(150, 0xff))).toBe("\uFFFD".repeat(33));
    expect(read(Buffer.alloc(100, 0xff), "gzip")).toBe("\uFFFD".repeat(33));
    expect(bytesOf(read("x".repeat(98) + "secret"))).toBe(100);
    expect(read("€".repeat(50), undefined, 100)).toBe("€".repeat(33));
    expect(bytesOf(read(Buffer.from("\u{1f600}".repeat(30)), undefined, 99))).toBe(96);
    expect(read("secret", undefined, 0)).toBe("");
  });

  it("shows no part of a secret that the cut goes through", () => {
    expect(read("123 secret and more", undefined, 7)).toBe("123 ***");
  });

  it.each([
    ["gzip", gzipSync],
    ["X-Gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("unpacks %s", (encoding, pack) => {
    expect(read(pack(Buffer.from("a secret b")), encoding)).toBe("a *** b");
  });

  it.each([gzipSync, brotliCompressSync])("keeps the start of what unpacks to more than that", (pack) => {
    const packed = pack(Buffer.from(`{"success":false,"detail":"${"x".repeat(200)}"}`));
    expect(read(packed, pack === gzipSync ? "gzip" : "br")).toBe(
      `{"success":false,"detail":"${"x".repeat(73)}`,
    );
  });

  it("leaves what it cannot unpack, and what unpacks to very much more", () => {
    expect(read("not packed", "gzip")).toBe("not packed");
    expect(read("not packed", "unheard-of")).toBe("not packed");
    expect(read(gzipSync(Buffer.alloc(50_000_000)), "gzip").length).toBeLessThanOrEqual(100);
  });

  it("is bounded and masked on its way through the adapter", async () => {
    const body = `${"x".repeat(990)}${CREDENTIALS.accessToken}${"y".repeat(100_000)}`;
    const { outcome } = await acceptAt({ onRequest: (socket) => socket.write(answer("200 OK", body)) });
    expect(outcome).toMatchObject({ kind: "executed", answer: { body: `${"x".repeat(990)}***` } });
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
