import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import { consume, fakeKafka, untilFull } from "./fake-kafka.ts";

const named = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, nth) => `${name}-${nth}`);
const MEMORY = { maxHeldBytes: 1_000_000 };

const ALL = [0, 1, 2];

/** Three partitions, 50 records read and committed in each; then retention deletes all of the quiet ones. */
const weekLater = async (quiet: readonly number[]) => {
  const first = fakeKafka(3);
  const consumer = consume(first, () => Promise.resolve(), MEMORY);
  for (const partition of ALL) first.append(partition, named(`old-${partition}`, 50));
  const isCommitted = (): boolean => ALL.every((partition) => first.commits.get(partition)?.offset === 50);
  await eventually(isCommitted, "the commits");
  await consumer.stop(100);
  const kafka = fakeKafka(3, first);
  for (const partition of quiet) kafka.dropBefore(partition, 50);
  return kafka;
};

/** A new process. */
const start = (kafka: ReturnType<typeof fakeKafka>) => {
  const handled: string[] = [];
  const said: string[] = [];
  const tell = (_: object, event: string): void => {
    if (event.startsWith("commands")) said.push(event);
  };
  const consumer = consume(kafka, ({ key }) => Promise.resolve(void handled.push(String(key))), {
    ...MEMORY,
    log: { warn: tell, error: tell },
  });
  onTestFinished(() => consumer.stop(100));
  return { handled, said };
};

/** The broker is away for a fetch; meanwhile the topic is created anew, with these records. */
const replaceWhileAway = async (
  kafka: ReturnType<typeof fakeKafka>,
  partition: number,
  keys: readonly string[],
) => {
  const { fetches } = kafka.state;
  kafka.state.away = true;
  await eventually(() => kafka.state.fetches > fetches, "a fetch that fails");
  kafka.replace(partition);
  kafka.append(partition, keys);
  kafka.state.away = false;
};

test("quiet partitions that lost their last record to retention are read on at once, beside the others", async () => {
  const kafka = await weekLater([0, 1]);
  const { handled, said } = start(kafka);
  await eventually(() => kafka.state.outOfRange >= 2, "the looks at the last records");
  for (const partition of ALL) kafka.append(partition, [`new-${partition}`]);
  await eventually(() => handled.length === 3, "all", 1_000);
  expect([said, kafka.state.outOfRange]).toEqual([[], 2]);
});

test("partitions of a topic that was created anew are found beside each other", async () => {
  const kafka = await weekLater([]);
  for (const partition of ALL) kafka.replace(partition);
  const { handled, said } = start(kafka);
  for (const partition of ALL) kafka.append(partition, [`new-${partition}`]);
  await eventually(() => handled.length === 3, "all", 10_000);
  expect(said).toEqual(ALL.map(() => "commands.topic.replaced"));
  // Five looks at each.
  expect(kafka.state.outOfRange).toBe(15);
});

test("a new, longer log is recognised where retention had deleted the last record", async () => {
  const kafka = await weekLater([0]);
  const { handled, said } = start(kafka);
  kafka.append(1, ["before"]);
  await eventually(() => handled.includes("before"), "a command", 10_000);
  await replaceWhileAway(kafka, 0, named("new", 80));
  await eventually(() => handled.length >= 81, "all of the new log", 10_000);
  expect([said, handled.length]).toEqual([["commands.topic.replaced"], 81]);
});

/** A command whose result Kafka does not take. */
const never = (_: unknown, { slot }: { slot: { leave: () => void } }): Promise<void> => {
  slot.leave();
  return new Promise<void>(() => undefined);
};

test("records whose handling has begun count with what it takes", async () => {
  const kafka = fakeKafka(1);
  const consumer = consume(kafka, never, { maxHeldBytes: 100_000 });
  onTestFinished(() => consumer.stop(10));
  kafka.append(0, named("k", 15));
  await eventually(() => consumer.unfinished() === 15, "the first records");
  kafka.append(0, named("more", 50));
  await untilFull(consumer);
  expect(consumer.unfinished()).toBe(15);
});

test("records that go on although their partition was revoked count when it comes back", async () => {
  const kafka = fakeKafka(2);
  const consumer = consume(kafka, never, { maxHeldBytes: 200_000 });
  onTestFinished(() => consumer.stop(10));
  kafka.append(0, named("k", 1_000));
  await untilFull(consumer);
  const most = consumer.unfinished();
  expect(most).toBeLessThan(500);
  for (let n = 0; n < 4; n++) {
    kafka.join([1]);
    kafka.join([0, 1]);
    await untilFull(consumer);
  }
  expect(consumer.unfinished()).toBeLessThanOrEqual(2 * most);
});
