import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import { consume, fakeKafka, untilFull } from "./fake-kafka.ts";

const named = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, nth) => `${name}-${nth}`);
const MEMORY = { maxHeldBytes: 1_000_000 };

/** Two partitions, 50 records read and committed in each; then retention deletes all of these partitions. */
const weekLater = async (quiet: readonly number[]) => {
  const first = fakeKafka(2);
  const consumer = consume(first, () => Promise.resolve(), MEMORY);
  for (const partition of [0, 1]) first.append(partition, named(`old-${partition}`, 50));
  const isCommitted = (): boolean => [0, 1].every((partition) => first.commits.get(partition)?.offset === 50);
  await eventually(isCommitted, "the commits");
  await consumer.stop(100);
  const kafka = fakeKafka(2, first);
  for (const partition of quiet) kafka.dropBefore(partition, 50);
  return kafka;
};

/** A new process. `answered` holds back the nth answer to the question for the ranges after a place was lost. */
const start = async (
  kafka: ReturnType<typeof fakeKafka>,
  answered: (nth: number) => Promise<unknown> = () => Promise.resolve(),
) => {
  const handled: string[] = [];
  const said: string[] = [];
  const tell = (_: object, event: string): void => {
    if (event.startsWith("commands")) said.push(event);
  };
  const cluster = await kafka.connectCluster();
  const asked = { times: 0 };
  const ranges = async () => {
    const snapshot = kafka.topicRanges();
    if (kafka.state.outOfRange >= 4) await answered(++asked.times);
    return snapshot;
  };
  const consumer = consume(
    { client: kafka.client, connectCluster: () => Promise.resolve({ ...cluster, ranges }) },
    ({ key }) => Promise.resolve(void handled.push(String(key))),
    { ...MEMORY, log: { warn: tell, error: tell } },
  );
  onTestFinished(() => consumer.stop(100));
  return { handled, said, asked };
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

test("a busy partition is read on where a quiet one lost its last record to retention", async () => {
  const kafka = await weekLater([0]);
  const { handled, said } = await start(kafka, async (nth) => {
    if (nth > 1) return;
    kafka.append(1, ["fresh"]);
    await eventually(() => handled.includes("fresh"), "the fresh command");
  });
  await eventually(() => handled.includes("fresh"), "the fresh command", 10_000);
  kafka.append(0, ["awake"]);
  await eventually(() => handled.includes("awake"), "the command of the quiet partition", 10_000);
  kafka.append(1, ["last"]);
  await eventually(() => handled.includes("last"), "the last command", 10_000);
  expect([said, handled]).toEqual([[], ["fresh", "awake", "last"]]);
});

test("quiet partitions are looked at once for all of them", async () => {
  const kafka = await weekLater([0, 1]);
  const { handled, said } = await start(kafka);
  for (const partition of [0, 1]) kafka.append(partition, [`new-${partition}`]);
  await eventually(() => handled.length === 2, "both", 10_000);
  expect(said).toEqual([]);
  expect(kafka.state.outOfRange).toBeLessThanOrEqual(8);
});

test("no command of a new log is passed over by an answer about the old one", async () => {
  const kafka = await weekLater([0]);
  kafka.dropBefore(1, 36);
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (release = resolve));
  const { handled, said, asked } = await start(kafka, (nth) => (nth === 1 ? gate : Promise.resolve()));
  await eventually(() => asked.times === 1, "the first question", 10_000);
  await replaceWhileAway(kafka, 1, named("new", 22));
  await eventually(() => handled.length === 22, "the new ones", 10_000);
  release();
  await eventually(() => kafka.commits.get(1)?.offset === 22, "their commit", 10_000);
  kafka.append(1, named("later", 30));
  await eventually(() => handled.length >= 52, "the later ones", 10_000);
  expect([said, handled.length]).toEqual([["commands.topic.replaced"], 52]);
});

test("a new, longer log is recognised where retention had deleted the last record", async () => {
  const kafka = await weekLater([0]);
  const { handled, said, asked } = await start(kafka);
  await eventually(() => asked.times === 1, "the question for the ranges", 10_000);
  const { fetches } = kafka.state;
  await eventually(() => kafka.state.fetches > fetches + 3, "it reads on");
  kafka.append(1, ["before"]);
  await eventually(() => handled.includes("before"), "a command", 10_000);
  await replaceWhileAway(kafka, 0, named("new", 80));
  await eventually(() => handled.length >= 81, "all of the new log", 10_000);
  expect([said, handled.length]).toEqual([["commands.topic.replaced"], 81]);
});

test("records that go on although their partition was revoked count when it comes back", async () => {
  const kafka = fakeKafka(2);
  /** As a command whose result Kafka does not take. */
  const never = (_: unknown, { slot }: { slot: { leave: () => void } }): Promise<void> => {
    slot.leave();
    return new Promise<void>(() => undefined);
  };
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
