import { expect, test } from "vitest";
import { newPartitioner } from "../../../../src/kafka/produce/partitioner.ts";

/** What Apache Kafka's own Java client (4.3.1) chooses for a key among 1, 3, 6, 12 and 100 partitions. */
const java: [key: string, ...partitions: [number, number, number, number, number]][] = [
  ["", 0, 0, 3, 9, 81],
  ["a", 0, 1, 4, 4, 24],
  ["abcd", 0, 2, 2, 8, 0],
  ["21", 0, 0, 0, 0, 40],
  ["foobar", 0, 0, 0, 6, 66],
  ["tx-1", 0, 0, 3, 9, 57],
  ["c-1234567890", 0, 1, 1, 1, 65],
  ["São Paulo", 0, 0, 0, 0, 0],
  ["😀", 0, 0, 3, 9, 17],
  ["6f1c1a3e-3a53-4c0e-9b58-0d9f4a1f9d11", 0, 1, 4, 10, 42],
  ["lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", 0, 2, 5, 5, 77],
  ["x".repeat(1_000), 0, 0, 0, 6, 46],
];

test.each(java)("%.20s goes where Java puts it", (key, ...expected) => {
  const choose = newPartitioner();
  expect([1, 3, 6, 12, 100].map((partitions) => choose(Buffer.from(key), partitions))).toEqual(expected);
});

test("keys that are not UTF-8 go where Java puts them", () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  expect([6, 100].map((partitions) => newPartitioner()(bytes, partitions))).toEqual([4, 74]);
});

test("records without a key are spread evenly", () => {
  const choose = newPartitioner();
  const counts = [0, 0, 0, 0];
  for (let i = 0; i < 400; i++) counts[choose(null, 4)]! += 1;
  expect(counts).toEqual([100, 100, 100, 100]);
});
