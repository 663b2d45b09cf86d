import { expect, test } from "vitest";
import { messageOf, newAccepts } from "../support/accepts.ts";
import { sharedCluster } from "../support/cluster.ts";
import { commandsUnderFault } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";
import { askAdmin } from "../support/kafka.ts";
import { readerDeps } from "../support/reader-deps.ts";
import { preparedMessage } from "../../src/kafka/kafkajs-fixes/prepared-batches.ts";
import { gzipBatch, recordBatch } from "../../src/kafka/produce/record-batch.ts";
import { newPartitioner } from "../../src/kafka/produce/partitioner.ts";

const RECORDS = 100_001;
const choose = newPartitioner();
// The bridge's patches come before anything else uses kafkajs: one made later finds modules that are loaded already.
const { newClient } = readerDeps(sharedCluster().kafkaBrokers);

test("an unreadable batch costs its own partition, is named by `status`, and partitions added meanwhile are read", async () => {
  const { world, replicas, accepts } = await commandsUnderFault({ replicas: 1 });
  const { brokers, topics } = world;
  // Plain kafkajs cannot encode so many.
  const producer = newClient().producer();
  await producer.connect();
  world.defer(() => producer.disconnect());
  const records = Array.from({ length: RECORDS }, () => ({ key: null, value: null, headers: [] }));
  const batch = await gzipBatch(recordBatch(records, Date.now()));
  await producer.send({ topic: topics.commands, messages: [preparedMessage(0, batch)] });

  const partitions = await askAdmin(
    brokers,
    async (admin) => (await admin.fetchTopicOffsets(topics.commands)).length,
  );
  const others = newAccepts(40).filter(({ key }) => choose(Buffer.from(key), partitions) !== 0);
  await accepts.submit(others);
  await eventually(() => accepts.answered() === others.length, "the others' answers", 20_000);
  expect(await replicas[0]!.isReady()).toBe(true);
  await eventually(
    async () =>
      expect((await world.run(["status"])).out).toContain(
        `The commands of ${topics.commands}[0] wait: a batch cannot be read.\n  It stands at offset 0:`,
      ),
    "`status` to name it",
    20_000,
  );
  // The log is written in chunks.
  const said = (line: string): boolean => line.includes("kafka.batch.unreadable");
  await replicas[0]!.untilLine(said, "the log to name it");
  expect((await replicas[0]!.lines()).filter(said)).toHaveLength(1);

  const count = partitions + 4;
  const topicPartitions = [{ topic: topics.commands, count }];
  await askAdmin(brokers, (admin) => admin.createPartitions({ topicPartitions }));
  const added = newAccepts(4);
  const sent = added.map((accept, nth) => ({ ...messageOf(accept), partition: partitions + nth }));
  const addedAt = Date.now();
  await eventually(
    () => world.produce(topics.commands, sent).then(() => true),
    "the new partitions to take commands",
    20_000,
  );
  await eventually(() => added.every(accepts.isAnswered), "the commands of the new partitions", 30_000);
  console.log(`added partitions were read after ${Date.now() - addedAt} ms`);
}, 120_000);
