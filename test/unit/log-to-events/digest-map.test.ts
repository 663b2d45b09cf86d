import { expect, test } from "vitest";
import { DigestMap } from "../../../src/log-to-events/digest-map.ts";
import { digestOf as digestOfText, type Digest } from "../../../src/notification/digest.ts";

const digestOf = (n: number): Digest => digestOfText(`digest ${n}`);

test.each([
  ["bytes", Uint8Array, (n: number) => n % 251],
  ["numbers", Float64Array, (n: number) => n * 1e9 - 1e14],
] as const)(
  "a map to %s keeps a hundred thousand of them while it grows, and holds no other",
  (_, kind, valueOf) => {
    const map = new DigestMap(kind);
    for (let n = 0; n < 100_000; n++) map.set(digestOf(n), valueOf(n));
    expect(map.size).toBe(100_000);
    for (let n = 0; n < 100_000; n++) expect(map.get(digestOf(n))).toBe(valueOf(n));
    for (let n = 100_000; n < 200_000; n++) expect(map.get(digestOf(n))).toBeUndefined();
  },
);

test("what is set again has the new value, and no second place", () => {
  const map = new DigestMap(Uint8Array);
  map.set(digestOf(1), 1);
  map.set(digestOf(1), 2);
  expect([map.size, map.get(digestOf(1))]).toEqual([1, 2]);
});

test("digests that begin with zeros are told from free slots", () => {
  const map = new DigestMap(Uint8Array);
  const zeros = "\0".repeat(32);
  expect(map.get(zeros)).toBeUndefined();
  map.set(zeros, 7);
  expect(map.get(zeros)).toBe(7);
});
