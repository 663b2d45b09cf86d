import { afterAll, expect, test as oneByOne } from "vitest";
import type { OrderedConsumer } from "../../../../src/kafka/consume/ordered-consumer.ts";
import { eventually } from "../../../support/eventually.ts";
import { consume, fakeKafka, untilFull } from "./fake-kafka.ts";

/** Each has a Kafka and consumers of its own, and mostly waits. */
const test = oneByOne.concurrent;

type Kafka = ReturnType<typeof fakeKafka>;

const consumers: OrderedConsumer[] = [];
afterAll(() => Promise.all(consumers.map((consumer) => consumer.stop(100))));

/** A consumer of partition 0, the records that it handled, and its log lines. */
const consuming = (kafka: Kafka, { maxHeldBytes = 1_000_000 } = {}) => {
  const handled: string[] = [];
  const said: [string, unknown, unknown][] = [];
  const tell = (fields: object, event: string): void => {
    const { oldOffset, newOffset } = fields as Record<string, unknown>;
    if (!event.startsWith("kafka.reader")) said.push([event, oldOffset, newOffset]);
  };
  const gates = new Map<string, Promise<void>>();
  const consumer = consume(
    kafka,
    async ({ key }) => {
      const name = String(key);
      await gates.get(name);
      handled.push(name);
    },
    { maxHeldBytes, note: () => "0:1@2", log: { warn: tell, error: tell } },
  );
  consumers.push(consumer);
  /** Blocks the record with this key until the returned function is called. */
  const hold = (key: string): (() => void) => {
    let go: () => void = () => undefined;
    gates.set(key, new Promise((resolve) => (go = resolve)));
    return go;
  };
  const until = (records: readonly string[]): Promise<unknown> =>
    eventually(
      () => expect([...handled].sort()).toEqual([...records].sort()),
      "these to be handled, each once",
    );
  const untilCommitted = (offset: number): Promise<unknown> =>
    eventually(() => expect(kafka.commits.get(0)?.offset).toBe(offset), `a commit of ${offset}`);
  return { consumer, handled, said, hold, until, untilCommitted };
};

const named = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, nth) => `${name}-${nth}`);
const OLD = named("old", 50);

/** Fifty records that were read, handled and committed. */
const withFifty = async (options?: { maxHeldBytes?: number }) => {
  const kafka = fakeKafka(1);
  const bridge = consuming(kafka, options);
  kafka.append(0, OLD);
  await bridge.until(OLD);
  await bridge.untilCommitted(50);
  return { kafka, ...bridge };
};

/** The same, by a process that has stopped. */
const afterFifty = async (): Promise<Kafka> => {
  const { kafka, consumer } = await withFifty();
  await consumer.stop(100);
  return fakeKafka(1, kafka);
};

test("reads a replaced log that is shorter from its first record, and logs that", async () => {
  const { kafka, said, until, untilCommitted } = await withFifty();
  kafka.replace(0);
  kafka.append(0, named("new", 3));
  await until([...OLD, ...named("new", 3)]);
  await untilCommitted(3);
  expect(said).toEqual([["commands.topic.replaced", 50, 0]]);
});

test("reads a replaced log that is longer from its first record, after the next interruption", async () => {
  const { kafka, said, until, untilCommitted } = await withFifty();
  kafka.replace(0);
  kafka.append(0, named("new", 250));
  kafka.join();
  await until([...OLD, ...named("new", 250)]);
  await untilCommitted(250);
  expect(said).toEqual([["commands.topic.replaced", 50, 0]]);
});

test("finishes the records of the old log, without commits to the new one", async () => {
  const kafka = fakeKafka(1);
  const { hold, said, until, untilCommitted } = consuming(kafka);
  const go = hold("old-20");
  kafka.append(0, OLD);
  await untilCommitted(20);
  kafka.replace(0);
  kafka.append(0, named("new", 3));
  await until([...OLD.filter((key) => key !== "old-20"), ...named("new", 3)]);
  await untilCommitted(3);
  go();
  await until([...OLD, ...named("new", 3)]);
  kafka.append(0, ["last"]);
  await untilCommitted(4);
  expect(said).toEqual([["commands.topic.replaced", 50, 0]]);
});

test.each([
  { name: "shorter", count: 3 },
  { name: "longer", count: 250 },
])("knows at its start that the log is another one: $name", async ({ count }) => {
  const kafka = await afterFifty();
  expect(kafka.commits.get(0)?.offset).toBe(50);
  kafka.replace(0);
  kafka.append(0, named("new", count));
  const { said, until, untilCommitted } = consuming(kafka);
  await until(named("new", count));
  await untilCommitted(count);
  expect(said).toEqual([["commands.topic.replaced", 50, 0]]);
});

test("recognises the log by the record at the committed offset, when that one is unfinished", async () => {
  const first = fakeKafka(1);
  const { hold, untilCommitted, consumer } = consuming(first);
  hold("old-20");
  first.append(0, OLD);
  await untilCommitted(20);
  await consumer.stop(50);
  const second = fakeKafka(1, first);
  second.replace(0);
  second.append(0, named("new", 30));
  const { said, until } = consuming(second);
  await until(named("new", 30));
  expect(said).toEqual([["commands.topic.replaced", 20, 0]]);
});

test("a log that stays truncated is read from its beginning", async () => {
  const { kafka, said, until, untilCommitted } = await withFifty();
  kafka.cutAt(0, 30);
  kafka.append(0, named("new", 2));
  await until([...OLD, ...OLD.slice(0, 30), ...named("new", 2)]);
  await untilCommitted(32);
  expect(said).toEqual([["commands.topic.replaced", 50, 0]]);
});

test("a log that looks shorter for an instant is the same log", async () => {
  const { kafka, said, handled, until, untilCommitted } = await withFifty();
  const mend = kafka.cutAt(0, 30);
  await eventually(() => kafka.state.outOfRange > 1, "two refusals");
  mend();
  kafka.append(0, ["next"]);
  await until([...OLD, "next"]);
  await untilCommitted(51);
  expect(handled.at(-1)).toBe("next");
  expect(said).toEqual([]);
});

test("logs which records were deleted unread, and goes on after them", async () => {
  const { kafka, consumer, hold, said, until, untilCommitted } = await withFifty({ maxHeldBytes: 20_000 });
  const go = hold("new-0");
  kafka.append(0, named("new", 1));
  kafka.append(0, Array<string>(200).fill("new-0"));
  await untilFull(consumer);
  kafka.dropBefore(0, 200);
  const behind = kafka.logs[0]!.records.length;
  go();
  await untilCommitted(251);
  const [[event, oldOffset, newOffset] = []] = said;
  expect([event, newOffset, said.length]).toEqual(["commands.lost", 200, 1]);
  const taken = Number(oldOffset) - 50;
  await until([...OLD, ...Array<string>(taken + behind).fill("new-0")]);
});

test.each([
  { name: "unread records", start: 70, lost: [["commands.lost", 50, 70]] },
  { name: "the last record that was read", start: 50, lost: [] },
])("says at its start what was dropped meanwhile: $name", async ({ start, lost }) => {
  const kafka = await afterFifty();
  kafka.append(0, named("new", 40));
  kafka.dropBefore(0, start);
  const { said, until, untilCommitted } = consuming(kafka);
  await until(named("new", 40).slice(start - 50));
  await untilCommitted(90);
  await eventually(() => expect(said).toEqual(lost), "what is said");
});

test("says at its start that all unread records were dropped, and does not wait for the next one", async () => {
  const kafka = await afterFifty();
  kafka.append(0, named("new", 40));
  kafka.dropBefore(0, 90);
  const { said, until, untilCommitted } = consuming(kafka);
  await untilCommitted(90);
  expect(said).toEqual([["commands.lost", 50, 90]]);
  kafka.append(0, ["next"]);
  await until(["next"]);
  await untilCommitted(91);
  expect(said).toHaveLength(1);
});

test("a new group begins where the log does, and misses nothing", async () => {
  const kafka = fakeKafka(1);
  kafka.append(0, OLD);
  kafka.dropBefore(0, 30);
  const { said, until, untilCommitted } = consuming(kafka);
  await until(OLD.slice(30));
  await untilCommitted(50);
  expect(said).toEqual([]);
});

test("is not confused by offsets without a record", async () => {
  const { kafka, said, until, untilCommitted } = await withFifty();
  kafka.skipOffset(0);
  kafka.append(0, ["a"]);
  kafka.skipOffset(0);
  await until([...OLD, "a"]);
  kafka.join();
  kafka.append(0, ["b"]);
  await until([...OLD, "a", "b"]);
  await untilCommitted(54);
  expect(said).toEqual([]);
});

test("a rebalance has no record handled twice", async () => {
  const { kafka, said, hold, handled, until } = await withFifty();
  const go = hold("slow");
  kafka.append(0, ["slow", ...named("new", 10)]);
  await until([...OLD, ...named("new", 10)]);
  kafka.join();
  kafka.join();
  kafka.append(0, ["last"]);
  await until([...OLD, ...named("new", 10), "last"]);
  go();
  await until([...OLD, ...named("new", 10), "last", "slow"]);
  expect(handled.filter((key) => key === "slow")).toHaveLength(1);
  expect(said).toEqual([]);
});

test("without a commit it begins at the beginning, whatever offset kafkajs had before", async () => {
  const kafka = await afterFifty();
  kafka.replace(0);
  kafka.append(0, named("new", 80));
  kafka.state.failing = 1;
  const { until, said } = consuming(kafka);
  await eventually(() => expect(said).toHaveLength(1), "the first question");
  // As Kafka does with the offsets of a topic that is deleted.
  kafka.commits.clear();
  await until(named("new", 80));
});

test("reads nothing before it knows the committed offset, warns once, and goes on from there", async () => {
  const kafka = await afterFifty();
  kafka.state.failing = 2;
  kafka.append(0, ["new"]);
  const { said, until } = consuming(kafka);
  await until(["new"]);
  expect(said).toEqual([["kafka.place.unknown", undefined, undefined]]);
  expect(kafka.state.asked).toBeGreaterThan(2);
});
