import { randomUUID } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { startOrderedConsumer } from "../../src/kafka/consume/ordered-consumer.ts";
import { startTail } from "../../src/kafka/consume/tail.ts";
import { topicAsSeenBy } from "../support/broker-view.ts";
import { eventually } from "../support/eventually.ts";
import { askAdmin } from "../support/kafka.ts";
import { produce } from "../support/produce.ts";
import { threeBrokers } from "../support/three-brokers.ts";
import { readerDeps } from "../support/reader-deps.ts";
import { isUp } from "../../src/runtime/health.ts";

const PARTITIONS = [0, 1, 2];
/** A group whose coordinator froze waits for this long for its former members. */
const SESSION_MS = 10_000;
const NOTICED_WITHIN_MS = 30_000;

const kafka = threeBrokers();

// One of the brokers coordinates the group as well: each is frozen once.
it.each(PARTITIONS)("goes on reading partition %i soon after its leader froze", async (partition) => {
  const topic = `frozen-${randomUUID()}`;
  const brokers = kafka.addresses();
  await askAdmin(brokers, (admin) =>
    admin.createTopics({
      topics: [
        {
          topic,
          replicaAssignment: PARTITIONS.map((at) => ({
            partition: at,
            replicas: PARTITIONS.map((n) => kafka.all()[(at + n) % 3]?.id ?? -1),
          })),
        },
      ],
      waitForLeaders: true,
    }),
  );
  const deps = readerDeps(brokers);
  const seen = new Set<string>();
  const followed = new Set<string>();
  const options = { topic, groupId: topic, sessionTimeoutMs: SESSION_MS };
  const consumer = startOrderedConsumer(
    { ...options, maxInFlight: 10, maxHeldBytes: 1_000_000 },
    ({ value }) => Promise.resolve(void seen.add(String(value))),
    deps,
  );
  onTestFinished(() => consumer.stop(100));
  const ranges = new Map(PARTITIONS.map((at) => [at, { startOffset: 0, endOffset: 0 }]));
  const tail = startTail(
    { topic },
    { begin: (found) => found, take: ({ value }) => followed.add(String(value)).size > 0 },
    { ...deps, ranges: () => Promise.resolve({ ranges, missing: new Set() }) },
  );
  onTestFinished(() => tail.stop());
  await eventually(() => isUp(consumer.health()) && isUp(tail.health()), "both to read", 30_000);

  const leader = kafka.all()[partition];
  leader?.freeze();
  const frozenAt = Date.now();
  const [other] = kafka.all().filter((broker) => broker !== leader);
  if (!leader || !other) throw new Error("there are not three brokers");
  await eventually(
    async () => {
      const now = (await topicAsSeenBy(other.port, topic))[partition]?.leader ?? -1;
      return now >= 0 && now !== leader.id;
    },
    "another leader",
    30_000,
  );
  await produce(`${other.host}:${other.port}`, topic, [{ partition, key: null, value: "later" }]);
  const writtenAfterMs = Date.now() - frozenAt;
  const readAfter = async (by: ReadonlySet<string>): Promise<number> => {
    await eventually(() => by.has("later"), "the record from the next leader", 60_000);
    return Date.now() - frozenAt;
  };
  const [readAfterMs, followedAfterMs] = await Promise.all([readAfter(seen), readAfter(followed)]);
  console.log(`written after ${writtenAfterMs} ms, read after ${readAfterMs} and ${followedAfterMs} ms`);
  expect(Math.max(readAfterMs, followedAfterMs)).toBeLessThan(NOTICED_WITHIN_MS);
});
