import { inject, expect, it, onTestFinished } from "vitest";
import type { Consumer } from "kafkajs";
import { startOrderedConsumer } from "../../src/kafka/consume/ordered-consumer.ts";
import { eventually } from "../support/eventually.ts";
import { clientOf, committedTotal, createTopic } from "../support/kafka.ts";
import { readerDeps } from "../support/reader-deps.ts";

const RECORDS = 10;

it("commits again what kafkajs said to be committed while its consumer stopped", async () => {
  const brokers = inject("kafkaBrokers");
  const deps = readerDeps(brokers);
  const topic = await createTopic(brokers, 1);
  const producer = clientOf(brokers).producer();
  await producer.connect();
  onTestFinished(() => producer.disconnect());
  await producer.send({ topic, messages: Array.from({ length: RECORDS }, () => ({ value: "x" })) });

  const consumers: Consumer[] = [];
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const consumer = startOrderedConsumer(
    {
      topic,
      groupId: topic,
      sessionTimeoutMs: 10_000,
      maxInFlight: RECORDS,
      maxHeldBytes: 1_000_000,
    },
    () => finished,
    {
      ...deps,
      newClient: () => {
        const client = deps.newClient();
        const made = client.consumer.bind(client);
        client.consumer = (config) => {
          const one = made(config);
          consumers.push(one);
          return one;
        };
        return client;
      },
    },
  );
  onTestFinished(() => consumer.stop(1_000));
  await eventually(() => consumer.inFlight() === RECORDS, "all records to begin", 30_000);

  // kafkajs goes through the same stop when it crashes, for instance because its coordinator was killed.
  const stopping = consumers[0]?.stop();
  finish();
  await stopping;
  await eventually(
    async () => expect(await committedTotal(brokers, topic, topic)).toBe(RECORDS),
    "the commit",
    60_000,
  );
});
