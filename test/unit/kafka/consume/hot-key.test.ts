import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import { consume, fakeKafka, untilFull } from "./fake-kafka.ts";

/** A consumer whose records with the key "hot" wait until they may end; all others end at once. */
const withHotKey = (partitions: number, { maxHeldBytes }: { maxHeldBytes: number }) => {
  const kafka = fakeKafka(partitions);
  const handled: string[] = [];
  let cool: () => void = () => undefined;
  const cooled = new Promise<void>((resolve) => (cool = resolve));
  const consumer = consume(
    kafka,
    async ({ partition, offset, key }) => {
      if (key?.toString() === "hot") await cooled;
      handled.push(`${partition}/${offset}`);
    },
    { maxHeldBytes },
  );
  onTestFinished(() => consumer.stop(100));
  return { ...kafka, consumer, handled, cool };
};

const MIB = 1_048_576;
const hot = (count: number): string[] => Array<string>(count).fill("hot");
const others = (count: number): string[] => Array.from({ length: count }, (_, nth) => `other-${nth}`);

test("other partitions go on while thousands of one key wait", async () => {
  const { append, handled, consumer } = withHotKey(2, { maxHeldBytes: MIB });
  append(0, hot(5_000));
  await untilFull(consumer);
  append(1, others(500));
  await eventually(() => handled.length === 500, "the other partition");
  expect(handled.every((place) => place.startsWith("1/"))).toBe(true);
});

test("other keys of the same partition go on while thousands of one key wait", async () => {
  const { append, handled } = withHotKey(1, { maxHeldBytes: 16 * MIB });
  append(0, [...hot(6_000), ...others(300)]);
  await eventually(() => handled.length === 300, "the other keys");
});

test("memory is bounded; records beyond it are read later, each once and in order", async () => {
  const { append, handled, consumer, cool, commits } = withHotKey(1, { maxHeldBytes: 100_000 });
  const COUNT = 3_000;
  append(0, hot(COUNT));
  await untilFull(consumer);
  const most = consumer.unfinished();
  expect(most).toBeGreaterThan(10);
  expect(most).toBeLessThan(200);
  await eventually(() => commits.get(0)?.offset === 0, "a commit that does not pass what is unfinished");
  cool();
  await eventually(() => handled.length === COUNT, "all of them", 20_000);
  expect(handled).toEqual(Array.from({ length: COUNT }, (_, offset) => `0/${offset}`));
  await eventually(() => commits.get(0)?.offset === COUNT, "all commits");
});

test("large records count by their size; a single one is taken whatever its size", async () => {
  const { append, handled, consumer, cool } = withHotKey(1, { maxHeldBytes: 50_000 });
  append(0, hot(3), "x".repeat(200_000));
  await untilFull(consumer);
  expect(consumer.unfinished()).toBe(1);
  cool();
  await eventually(() => handled.length === 3, "all of them");
});

test("a full partition stays paused over a rebalance, and one that comes back is not handled twice", async () => {
  const { append, join, handled, consumer, cool } = withHotKey(2, { maxHeldBytes: 200_000 });
  append(0, hot(1_000));
  await untilFull(consumer);
  const held = consumer.unfinished();
  join([0, 1]);
  append(1, others(5));
  await eventually(() => handled.length === 5, "the other partition");
  expect(consumer.unfinished()).toBe(held);
  join([1]);
  join([0, 1]);
  await untilFull(consumer);
  expect(consumer.unfinished()).toBeLessThanOrEqual(2 * held);
  cool();
  await eventually(() => handled.filter((place) => place.startsWith("0/")).length >= 1_000, "the hot key");
  expect(new Set(handled).size).toBe(1_005);
});
