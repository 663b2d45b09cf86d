import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { splitIntoParts } from "../../../src/bridge/dead-letter-parts.ts";
import { encodeHeaders } from "../../../src/kafka/produce/record-batch.ts";
import type { Outgoing } from "../../../src/kafka/record.ts";

const SMALLEST_ROOM_BYTES = 400_000;
const REASON = ["dead-letter-reason", "UNREADABLE_COMMAND"] as const;

const letter = (more: Partial<Outgoing>): Outgoing => ({
  key: null,
  value: null,
  headers: [REASON],
  ...more,
});
const added = (part: Outgoing): Record<string, unknown> => Object.fromEntries(part.headers);
/** As docs/dead-letters.md says how to put it together. */
const joinParts = (parts: readonly Outgoing[], what: string): Buffer | null => {
  const pieces = parts.filter((part) => added(part)["dead-letter-part-of"] === what);
  return pieces.length === 0 ? null : Buffer.concat(pieces.map(({ value }) => value ?? Buffer.alloc(0)));
};
const textOf = (bytes: Buffer | null): string | null => bytes?.toString("base64") ?? null;
const sizeOf = ({ key, value, encodedHeaders }: Outgoing): number =>
  (key?.length ?? 0) + (value?.length ?? 0) + (encodedHeaders?.bytes.length ?? 0);

test("a value comes in parts that are numbered, each with key, headers and reason", () => {
  const key = Buffer.from("key");
  const value = randomBytes(700_000);
  const encodedHeaders = encodeHeaders([
    ["a", "1"],
    ["a", null],
  ]);
  const parts = splitIntoParts(letter({ key, value, encodedHeaders }), "letter-1");
  expect(joinParts(parts, "value")?.equals(value)).toBe(true);
  expect(parts.map((part) => added(part)["dead-letter-part"])).toEqual(["1/3", "2/3", "3/3"]);
  for (const part of parts) {
    expect(part).toMatchObject({ key, encodedHeaders });
    expect(part.headers).toContain(REASON);
    expect(added(part)["dead-letter-part-id"]).toBe("letter-1");
    expect(sizeOf(part)).toBeLessThan(SMALLEST_ROOM_BYTES);
  }
});

describe("a key and headers that are too large to be repeated come in parts of their own", () => {
  const large = encodeHeaders([["large", randomBytes(600_000)]]);
  test.each([
    ["a large key", { key: randomBytes(300_000), value: Buffer.from("v") }],
    ["large headers", { key: Buffer.from("k"), value: randomBytes(300_000), encodedHeaders: large }],
    ["large headers alone", { encodedHeaders: large }],
    ["nothing in key and value", { key: Buffer.alloc(0), value: Buffer.alloc(0), encodedHeaders: large }],
  ])("%s", (_, more: Partial<Outgoing>) => {
    const whole = letter(more);
    const parts = splitIntoParts(whole, "letter-2");
    expect(textOf(joinParts(parts, "key"))).toBe(textOf(whole.key));
    expect(textOf(joinParts(parts, "value"))).toBe(textOf(whole.value));
    expect(textOf(joinParts(parts, "headers"))).toBe(textOf(whole.encodedHeaders?.bytes ?? Buffer.alloc(0)));
    for (const part of parts) {
      expect(part.key).toBe(null);
      expect(sizeOf(part)).toBeLessThan(SMALLEST_ROOM_BYTES);
    }
  });
});
