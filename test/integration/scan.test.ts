import { expect, inject, it, onTestFinished } from "vitest";
import { scan, type TakeRecord } from "../../src/kafka/consume/scan.ts";
import { eventually } from "../support/eventually.ts";
import { clientOf, createTopic } from "../support/kafka.ts";
import { readerDeps } from "../support/reader-deps.ts";

const brokers = inject("kafkaBrokers");
const deps = readerDeps(brokers);

const scanned = async (
  topic: string,
  sinceMs: number,
  see: TakeRecord = () => undefined,
): Promise<string[]> => {
  const cluster = await deps.connectCluster();
  const keys: string[] = [];
  try {
    await scan(
      { topic, ranges: (await cluster.ranges(topic, sinceMs)).ranges },
      (record) => {
        keys.push(String(record.key));
        return see(record);
      },
      deps,
      new AbortController().signal,
    );
  } finally {
    await cluster.close();
  }
  return keys.sort();
};

const DAY_MS = 86_400_000;
const named = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, nth) => `${name}-${String(nth).padStart(4, "0")}`);

it("reads what is not older than it asks for, to the ends that stood when it began", async () => {
  const topic = await createTopic(brokers, 6);
  const producer = clientOf(brokers).producer();
  await producer.connect();
  const write = (keys: readonly string[], timestampMs: number): Promise<unknown> =>
    producer.send({
      topic,
      messages: keys.map((key, nth) => ({
        key,
        value: "x",
        partition: nth % 5,
        timestamp: String(timestampMs),
      })),
    });
  const now = Date.now();
  await write(named("old", 50), now - 2 * DAY_MS);
  await write(named("young", 5_000), now);
  let later: Promise<unknown> | null = null;
  const seen = await scanned(topic, now - DAY_MS, async () => {
    // Written while it reads.
    await (later ??= write(named("late", 50), now));
  });
  await producer.disconnect();
  expect(seen).toEqual(named("young", 5_000));
});

it("delivers no record of an aborted transaction, also where transactions overlap", async () => {
  const topic = await createTopic(brokers, 1);
  const begin = async (name: string) => {
    const producer = clientOf(brokers).producer({
      transactionalId: `${topic}-${name}`,
      maxInFlightRequests: 1,
      idempotent: true,
    });
    await producer.connect();
    onTestFinished(() => producer.disconnect());
    const transaction = await producer.transaction();
    return {
      ...transaction,
      write: (key: string) => transaction.send({ topic, messages: [{ key, value: "x", partition: 0 }] }),
    };
  };
  const [outer, inner, good] = [await begin("outer"), await begin("inner"), await begin("good")];
  await outer.write("taken back 1");
  await inner.write("taken back 2");
  // The key of an abort marker.
  await outer.write("\0\0\0\0");
  await outer.write("taken back 3");
  await good.write("good");
  await inner.abort();
  await outer.abort();
  await good.commit();
  // The broker answers before the marker is in the log, and the record counts only then.
  const seen = new Set<string>();
  await eventually(async () => {
    for (const key of await scanned(topic, 0)) seen.add(key);
    return seen.size > 0;
  }, "the committed record");
  expect([...seen]).toEqual(["good"]);
});
