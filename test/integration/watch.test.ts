import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin, createTopic } from "../support/kafka.ts";
import { listen } from "../support/listen.ts";
import { timed } from "../support/own-time.ts";
import { openWorld, type World } from "../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await openWorld({ setUp: false });
});
afterAll(() => world.close());

test("what is written to a topic that was created anew is shown, from its first record on", async () => {
  const { brokers } = world;
  const topic = await createTopic(brokers, 1);
  const watching = await world.start(["watch", "dead-letters"], { TOPIC_DEAD_LETTERS: topic });
  await watching.untilLine((line) => line.startsWith("Following"), "what it follows");
  for (const value of ["one", "two", "three"]) await world.produce(topic, [{ key: null, value }]);
  await watching.untilLine((line) => line.endsWith("three"), "the last record");
  await askAdmin(brokers, (admin) => admin.deleteTopics({ topics: [topic] }));
  await askAdmin(brokers, (admin) => admin.createTopics({ topics: [{ topic, numPartitions: 1 }] }));
  await world.produce(topic, [{ key: null, value: "anew" }]);
  await watching.untilLine((line) => line.endsWith("anew"), "the first record of the new topic");
  expect(await watching.stop()).toBe(0);
}, 60_000);

test("it ends at once when it is told to, also while many records wait for a registry that hangs", async () => {
  const registry = createServer();
  const url = `http://${await listen(registry)}`;
  const topic = await createTopic(world.brokers, 1);
  const value = Buffer.from([0, 0, 0, 9, 9, 2]);
  await world.produce(
    topic,
    Array.from({ length: 200 }, () => ({ key: null, value })),
  );
  const settings = { TOPIC_TRANSACTION_STATUS: topic, SCHEMA_REGISTRY_URL: url };
  const watching = await world.start(["watch", "events", "--from-beginning"], settings);
  await watching.untilLine((line) => line.includes("cannot be decoded"), "the first record");
  const { value: code, ms } = await timed(watching.stop());
  expect(code).toBe(0);
  expect(ms).toBeLessThan(3_000);
  registry.closeAllConnections();
  registry.close();
}, 60_000);
