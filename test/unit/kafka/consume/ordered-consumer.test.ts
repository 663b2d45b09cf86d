import { expect, test } from "vitest";
import { silent } from "../../../../src/cli/silent.ts";
import { startOrderedConsumer } from "../../../../src/kafka/consume/ordered-consumer.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { fakeKafka, TOPIC } from "./fake-kafka.ts";

/** A consumer with more records than it may hold, all of which wait for the same thing. */
const waiting = async () => {
  const kafka = fakeKafka(1);
  let endAll: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (endAll = resolve));
  const consumer = startOrderedConsumer(
    {
      topic: TOPIC,
      groupId: "g",
      sessionTimeoutMs: 30_000,
      maxBytesPerPartition: 1,
      maxInFlight: 4,
      maxHeldBytes: 200_000,
    },
    async (_, { place }) => {
      // As commands do that are being concluded: they wait for Kafka, and all of them hear of it at once.
      place.leave();
      await gate;
    },
    {
      newClient: () => kafka.client,
      connectCluster: kafka.connectCluster,
      clock: systemClock,
      log: silent,
      random: () => 0,
    },
  );
  kafka.append(0, Array<null>(400).fill(null));
  await eventually(() => kafka.paused.has(0) && consumer.inFlight() === 0, "all that fit to wait");
  return { ...kafka, consumer, endAll };
};

test("reads on after as many records as it may hold have ended in the same instant", async () => {
  const { paused, commits, consumer, endAll } = await waiting();
  expect(consumer.unfinished()).toBeLessThan(400);
  endAll();
  await eventually(() => commits.get(0)?.offset === 400, "all to end");
  expect(consumer.unfinished()).toBe(0);
  expect(paused.has(0)).toBe(false);
  await consumer.stop(100);
});

test("asks nothing of a kafkajs consumer that is about to crash: it would throw", async () => {
  const { consumer, stop, endAll } = await waiting();
  stop();
  endAll();
  await eventually(() => consumer.unfinished() === 0, "all to end");
  await consumer.stop(100);
});
