import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../../src/runtime/clock.ts";
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

/** A consumer with more records than its memory limit, which all wait for the same event. */
const waiting = async () => {
  const kafka = fakeKafka(1);
  let endAll: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (endAll = resolve));
  const consumer = consume(
    kafka,
    async (_, { slot: place }) => {
      // Like commands that wait for Kafka to write their conclusions: all of them go on at once.
      place.leave();
      await gate;
    },
    { maxHeldBytes: 200_000 },
  );
  kafka.append(0, Array<null>(400).fill(null));
  await untilFull(consumer);
  expect(consumer.inFlight()).toBe(0);
  return { ...kafka, consumer, endAll };
};

test("reads on after all records of a full partition have finished in the same instant", async () => {
  const { commits, consumer, endAll } = await waiting();
  expect(consumer.unfinished()).toBeLessThan(400);
  endAll();
  await eventually(() => commits.get(0)?.offset === 400, "all to end");
  expect(consumer.unfinished()).toBe(0);
  await consumer.stop(100);
});

/**
 * A consumer that lists what it started, and whose records end when the test ends them or their signal
 * aborts.
 */
const begun = () => {
  const kafka = fakeKafka(1);
  const offsets: number[] = [];
  const ends = new Map<number, () => void>();
  const lines: string[] = [];
  const consumer = consume(
    kafka,
    ({ offset }, { signal }) => {
      offsets.push(offset);
      return new Promise((resolve, reject) => {
        ends.set(offset, resolve);
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      });
    },
    { maxInFlight: 2, maxHeldBytes: 20_000, log: { error: (_, event) => void lines.push(event) } },
  );
  return { ...kafka, consumer, offsets, ends, lines };
};

test("suspended from the start, it reads up to its memory limit, starts nothing, and stops at once", async () => {
  const { append, consumer, offsets, commits } = begun();
  consumer.suspend(true);
  append(0, Array<null>(400).fill(null));
  await untilFull(consumer);
  expect([offsets, consumer.inFlight()]).toEqual([[], 0]);
  const startedAt = performance.now();
  await consumer.stop(30_000);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expect(offsets).toEqual([]);
  expect(commits.get(0)?.offset ?? 0).toBe(0);
});

test("suspended, it aborts what runs, and handles that again when it goes on", async () => {
  const { append, consumer, offsets, ends, commits, lines } = begun();
  append(0, [null, null, null]);
  await eventually(() => offsets.length === 2, "two to begin");
  consumer.suspend(true);
  await eventually(() => consumer.inFlight() === 0, "both to stop");
  consumer.suspend(true);
  expect([offsets, consumer.unfinished()]).toEqual([[0, 1], 3]);
  consumer.suspend(false);
  await eventually(() => offsets.length === 4, "two to begin again");
  for (const nth of [0, 1, 2]) {
    await eventually(() => offsets.slice(2).includes(nth), "the next one");
    ends.get(nth)?.();
  }
  await eventually(() => commits.get(0)?.offset === 3, "all to end");
  expect([...offsets.slice(2)].sort()).toEqual([0, 1, 2]);
  expect(lines).toEqual([]);
  await consumer.stop(100);
});

test("takes no more records without a heartbeat for a session, until the group assigns them anew", async () => {
  const kafka = fakeKafka(1);
  const handled: number[] = [];
  let aheadMs = 0;
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + aheadMs };
  const consumer = consume(kafka, ({ offset }) => Promise.resolve(void handled.push(offset)), {
    maxHeldBytes: MIB,
    clock,
  });
  onTestFinished(() => consumer.stop(100));
  kafka.append(0, [null]);
  await eventually(() => handled.length === 1, "the first record");
  // The group has gone silent, as it is to a process that was frozen.
  kafka.stop();
  aheadMs = 30_000;
  kafka.append(0, [null]);
  const { fetches } = kafka.state;
  await eventually(() => kafka.state.fetches > fetches + 1, "fetches");
  expect(handled).toEqual([0]);
});
