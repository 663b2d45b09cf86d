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
  const names = ["GROUP_JOIN", "REBALANCING", "HEARTBEAT", "FETCH", "CRASH"];
  const state = { paused: false };
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
    pause: () => (state.paused = true),
    resume: () => (state.paused = false),
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
      headers: {},
    }));
    const lastOffset = (): string => String(from + count - 1);
    const batch = { topic: TOPIC, partition: 0, messages, lastOffset, highWatermark: "0" };
    return eachBatch({ batch, isRunning: () => true, isStale: () => false } as unknown as EachBatchPayload);
  };
  return { client: { consumer: () => consumer } as unknown as Kafka, state, deliver };
};

test("reads on after more records than may be unfinished have ended in the same instant", async () => {
  const { client, state, deliver } = fakeConsumer();
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
    { newClient: () => client, clock: systemClock, log: silent, random: () => 0 },
  );
  await eventually(() => consumer.state().up, "the consumer to join");
  await deliver(0, 200);
  await eventually(() => consumer.unfinished() === 200 && consumer.inFlight() === 0, "all to wait");
  expect(state.paused).toBe(true);
  endAll();
  await eventually(() => consumer.unfinished() === 0, "all to end");
  expect(state.paused).toBe(false);
  await consumer.stop(100);
});
