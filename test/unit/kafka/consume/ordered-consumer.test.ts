import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import type { Consumer, EachBatchPayload, Kafka } from "kafkajs";
import { silent } from "../../../../src/cli/silent.ts";
import { startOrderedConsumer } from "../../../../src/kafka/consume/ordered-consumer.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { eventually } from "../../../support/eventually.ts";

const TOPIC = "commands";

/** As much of a kafkajs consumer as is used, with one partition and a group of its own. */
const fakeConsumer = () => {
  const events = new EventEmitter();
  const names = ["GROUP_JOIN", "REBALANCING", "HEARTBEAT", "FETCH", "STOP", "CRASH"];
  const state = { paused: false, stopped: false };
  const ask = (paused: boolean): void => {
    if (state.stopped)
      throw new Error("Consumer group was not initialized, consumer#run must be called first");
    state.paused = paused;
  };
  let eachBatch: (payload: EachBatchPayload) => Promise<void> = () => Promise.resolve();
  const consumer = {
    events: Object.fromEntries(names.map((name) => [name, name])),
    on: (name: string, listener: (event: unknown) => void) => events.on(name, listener),
    connect: () => Promise.resolve(),
    subscribe: () => Promise.resolve(),
    run: (options: { eachBatch: typeof eachBatch }) => {
      eachBatch = options.eachBatch;
      events.emit("GROUP_JOIN", { payload: { memberAssignment: { [TOPIC]: [0] } } });
      return Promise.resolve();
    },
    pause: () => ask(true),
    resume: () => ask(false),
    seek: () => undefined,
    commitOffsets: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
  } as unknown as Consumer;
  const deliver = (from: number, count: number): Promise<void> => {
    const messages = Array.from({ length: count }, (_, i) => ({
      offset: String(from + i),
      timestamp: "0",
      key: null,
      value: null,
      headers: undefined,
    }));
    const lastOffset = (): string => String(from + count - 1);
    const batch = { topic: TOPIC, partition: 0, messages, lastOffset, highWatermark: "0" };
    return eachBatch({ batch, isRunning: () => true, isStale: () => false } as unknown as EachBatchPayload);
  };
  /** As on its way to a crash: the group is forgotten first, and the crash is told when the connections are closed. */
  const stop = (): void => {
    state.stopped = true;
    events.emit("STOP");
  };
  return { client: { consumer: () => consumer } as unknown as Kafka, state, deliver, stop };
};

/** A consumer with two hundred records that all wait for the same thing, which is twice as many as it may have. */
const waiting = async () => {
  const fake = fakeConsumer();
  let endAll: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (endAll = resolve));
  const consumer = startOrderedConsumer(
    {
      topic: TOPIC,
      groupId: "g",
      sessionTimeoutMs: 30_000,
      maxBytesPerPartition: 1,
      maxInFlight: 4,
      maxUnfinished: 100,
    },
    async (_, { place }) => {
      // As commands do that are being concluded: they wait for Kafka, and all of them hear of it at once.
      place.leave();
      await gate;
    },
    { newClient: () => fake.client, clock: systemClock, log: silent, random: () => 0 },
  );
  await eventually(() => consumer.state().up, "the consumer to join");
  await fake.deliver(0, 200);
  await eventually(() => consumer.unfinished() === 200 && consumer.inFlight() === 0, "all to wait");
  expect(fake.state.paused).toBe(true);
  return { ...fake, consumer, endAll };
};

test("reads on after more records than may be unfinished have ended in the same instant", async () => {
  const { state, consumer, endAll } = await waiting();
  endAll();
  await eventually(() => consumer.unfinished() === 0, "all to end");
  expect(state.paused).toBe(false);
  await consumer.stop(100);
});

test("asks nothing of a kafkajs consumer that is about to crash: it would throw", async () => {
  const { consumer, stop, endAll } = await waiting();
  stop();
  endAll();
  await eventually(() => consumer.unfinished() === 0, "all to end");
  await consumer.stop(100);
});
