import { expect, test } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import { consume, fakeKafka, untilFull } from "./fake-kafka.ts";

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

test("does not call a kafkajs consumer that is about to crash: it would throw", async () => {
  const { consumer, stop, endAll } = await waiting();
  stop();
  endAll();
  await eventually(() => consumer.unfinished() === 0, "all to end");
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
