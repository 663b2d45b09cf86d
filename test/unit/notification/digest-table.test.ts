import { expect, test } from "vitest";
import { DigestTable, keyOf } from "../../../src/notification/digest-table.ts";

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
