import { randomUUID } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { quoteKey } from "../../src/commands-to-results/quote-key.ts";
import { newPartitioner } from "../../src/kafka/produce/partitioner.ts";
import { topicAsSeenBy } from "../support/broker-view.ts";
import { AT_ONCE_MS, writeDoubts } from "../support/doubts.ts";
import { eventually } from "../support/eventually.ts";
import { reassign, setTopicConfig } from "../support/kafka.ts";
import { onAllBrokers, threeBrokers } from "../support/three-brokers.ts";
import { openTestWorld } from "../support/world.ts";

const LOST = 0;

const kafka = threeBrokers();

it("resolves the doubts of the other partitions while one of the journal has no leader, and says why not its own", async () => {
  const world = await openTestWorld({ cluster: kafka.cluster(), settings: onAllBrokers });
  const { journal } = world.topics;
  const [first, , third] = kafka.all();
  const view = () => topicAsSeenBy(first!.port, journal);
  const { length } = await view();
  const partitionOf = newPartitioner();
  const quoteIn = (isLost: boolean): string => {
    for (;;) {
      const quoteId = randomUUID();
      if ((partitionOf(Buffer.from(quoteKey(quoteId)), length) === LOST) === isLost) return quoteId;
    }
  };
  await writeDoubts(world, "here", AT_ONCE_MS, quoteIn(false));
  await writeDoubts(world, "lost", AT_ONCE_MS, quoteIn(true));
  await setTopicConfig(world.brokers, journal, { "min.insync.replicas": "1" });
  const others = kafka.all().map(({ id }) => id);
  await reassign(
    world.brokers,
    journal,
    Array.from({ length }, (_, partition) => (partition === LOST ? [third!.id] : others)),
  );
  await eventually(async () => (await view())[LOST]?.inSync.length === 1, "one replica", 30_000);
  await third!.stop();
  onTestFinished(() => third!.start());
  await eventually(async () => (await view())[LOST]!.leader < 0, "no leader", 30_000);

  const resolve = (commandId: string) =>
    world.run(["resolve", commandId, "--as", "succeeded", "--by", "ana", "--note", "asked the partner"]);
  const unread = await resolve("lost");
  expect(unread).toMatchObject({ code: 1, out: "" });
  expect(unread.err).toMatch(/Nothing was decided.*partition 0 has no leader.*may stand there/);
  const resolved = await resolve("here");
  expect(resolved).toMatchObject({ code: 0 });
  expect(resolved.err.match(/partition 0 has no leader/g)).toHaveLength(1);
}, 240_000);
