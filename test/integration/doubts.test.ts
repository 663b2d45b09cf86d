import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedCluster } from "../support/cluster.ts";
import { AT_ONCE_MS, writeDoubts } from "../support/doubts.ts";
import { readTopic } from "../support/follow-topics.ts";
import { askAdmin } from "../support/kafka.ts";
import { produce } from "../support/produce.ts";
import { openWorld, type World } from "../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await openWorld(sharedCluster());
});
afterAll(() => world.close());

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");

test("the commands in doubt are listed, the oldest first, until a person has ended them", async () => {
  const none = await world.run(["doubts"]);
  expect(none).toMatchObject({ code: 0, out: "", err: "No command is in doubt.\n" });

  const [older, newer] = [randomUUID(), randomUUID()];
  await writeDoubts(world, "order-1", AT_ONCE_MS, older);
  await writeDoubts(world, "order-2", 3_600_000, newer);
  const both = await world.run(["doubts"]);
  const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
  const line = (commandId: string, quoteId: string, ready: string): unknown =>
    expect.stringMatching(
      new RegExp(`^${time}  ${commandId}  ACCEPT_QUOTE  ${quoteId}  OWNER_LOST: gone  ${ready}$`),
    );
  expect(both.code).toBe(0);
  expect(linesOf(both.out)).toEqual([line("order-1", older, "now"), line("order-2", newer, `from ${time}`)]);
  expect(linesOf(both.err)).toEqual([
    "since  commandId  operation  quoteId  why  resolve",
    "2 commands in doubt. Find out from the partner, then `cambio-bridge resolve`: docs/doubts.md.",
  ]);

  await world.run(["resolve", "order-1", "--as", "succeeded", "--by", "ana", "--note", "asked the partner"]);
  const [left, ...others] = linesOf((await world.run(["doubts", "--json"])).out);
  expect(others).toEqual([]);
  const { since, claim, resolvableAt, place, ...rest } = JSON.parse(left ?? "") as Record<string, unknown>;
  expect(rest).toEqual({
    commandId: "order-2",
    operation: "ACCEPT_QUOTE",
    quoteId: newer,
    attempts: 1,
    httpStatus: null,
    error: { code: "OWNER_LOST", message: "gone" },
    response: null,
  });
  const entries = (await readTopic(world.brokers, world.topics.journal)).filter(({ key }) => key === newer);
  const [claimed, doubted] = entries.map(({ partition, offset, timestampMs }) => ({
    at: new Date(timestampMs).toISOString(),
    place: { topic: world.topics.journal, partition, offset },
  }));
  expect({ at: since, place }).toEqual(doubted);
  expect(claim).toEqual({ ...claimed, callWithinMs: 3_600_000 });
  // `resolve` wants a claim to be twenty times as old as its call may take.
  expect(Date.parse(String(resolvableAt)) - Date.parse(claimed?.at ?? "")).toBe(20 * 3_600_000);
});

test("a doubt whose claim retention deleted is listed as one that `resolve` does not know", async () => {
  const quoteId = randomUUID();
  await writeDoubts(world, "order-3", AT_ONCE_MS, quoteId);
  const topic = world.topics.journal;
  const [, doubted] = (await readTopic(world.brokers, topic)).filter(({ key }) => key === quoteId);
  const partitions = [{ partition: doubted?.partition ?? -1, offset: String(doubted?.offset) }];
  await askAdmin(world.brokers, async (admin) => {
    // kafkajs deletes only in topics whose metadata it has.
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({ topic, partitions });
  });
  const { code, out } = await world.run(["doubts"]);
  expect(code).toBe(0);
  expect(linesOf(out).filter((line) => line.includes("order-3"))).toEqual([
    expect.stringMatching(/ {2}no more: retention has deleted its claim$/),
  ]);
  const resolved = await world.run([
    ...["resolve", "order-3", "--as", "succeeded", "--by", "ana", "--note", "asked", "--quote-id", quoteId],
  ]);
  expect(resolved).toMatchObject({ code: 1, out: "" });
  expect(resolved.err).toContain("The journal knows no command order-3");
});

test("an entry that cannot be read may be a doubt: the list says so, and fails", async () => {
  await produce(world.brokers, world.topics.journal, [{ key: "q", value: "of a later version" }]);
  const { code, err } = await world.run(["doubts"]);
  expect(code).toBe(1);
  expect(linesOf(err).at(-1)).toBe(
    "1 record of the journal cannot be read by this version: there may be more doubts. Use the version of the replicas.",
  );
});

test("without the journal, without the registry and without Kafka it says which one is missing", async () => {
  const noTopic = await world.run(["doubts"], { TOPIC_COMMAND_JOURNAL: "fx.no-journal" });
  expect(noTopic).toMatchObject({ code: 1, out: "" });
  expect(noTopic.err).toContain("There is no topic fx.no-journal: `cambio-bridge doctor` says what to do.");
  const noRegistry = await world.run(["doubts"], { SCHEMA_REGISTRY_URL: "http://127.0.0.1:9" });
  expect(noRegistry).toMatchObject({ code: 1, out: "" });
  expect(noRegistry.err).toContain("SCHEMA_REGISTRY_URL");
  const noKafka = await world.run(["doubts"], { KAFKA_BROKERS: "127.0.0.1:9" });
  expect(noKafka).toMatchObject({ code: 1, out: "" });
  expect(noKafka.err).toContain("KAFKA_BROKERS");
});
