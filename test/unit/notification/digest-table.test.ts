import { expect, test } from "vitest";
import { DigestTable, keyOf, type DigestKey } from "../../../src/notification/digest-table.ts";
import { digestOf } from "../../../src/runtime/digest.ts";

const key = (n: number): DigestKey => keyOf(digestOf(`digest ${n}`));

test.each([
  ["bytes", Uint8Array, (n: number) => n % 251],
  ["numbers", Float64Array, (n: number) => n * 1e9 - 1e14],
] as const)(
  "a map to %s keeps a hundred thousand of them while it grows, and holds no other",
  (_, kind, valueOf) => {
    const map = new DigestTable(kind);
    for (let n = 0; n < 100_000; n++) map.set(key(n), valueOf(n));
    expect(map.count).toBe(100_000);
    for (let n = 0; n < 100_000; n++) expect(map.get(key(n))).toBe(valueOf(n));
    for (let n = 100_000; n < 200_000; n++) expect(map.get(key(n))).toBeUndefined();
  },
);

test("what is set again has the new value, and no second place", () => {
  const map = new DigestTable(Uint8Array);
  map.set(key(1), 1);
  map.set(key(1), 2);
  expect([map.count, map.get(key(1))]).toEqual([1, 2]);
});

test("digests that begin with zeros are told from free slots", () => {
  const map = new DigestTable(Uint8Array);
  const zeros = keyOf("\0".repeat(32));
  expect(map.get(zeros)).toBeUndefined();
  map.set(zeros, 7);
  expect(map.get(zeros)).toBe(7);
});

test("digests that differ in any of the first eight bytes are different ones, where most of the slots are taken", () => {
  const map = new DigestTable(Uint8Array, 11);
  const one = "\0\0\0\x01\0\0\0\0\0\0\0\0";
  const all = [
    one,
    ...Array.from({ length: 8 }, (_, byte) => `${one.slice(0, byte)}\x80${one.slice(byte + 1)}`),
  ];
  all.forEach((digest, n) => map.set(keyOf(digest), n));
  all.forEach((digest, n) => expect(map.get(keyOf(digest))).toBe(n));
  expect(map.count).toBe(9);
});
