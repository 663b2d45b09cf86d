import { expect, onTestFinished, test } from "vitest";
import { silent } from "../../../../src/runtime/log.ts";
import { scan, type TakeRecord } from "../../../../src/kafka/consume/scan.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { fakeKafka, TOPIC } from "./fake-kafka.ts";

type Kafka = ReturnType<typeof fakeKafka>;

const named = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, nth) => `${name}-${nth}`);

/** A scan that has begun. It blocks at each record with a key in `gates`. */
const scanning = (
  kafka: Kafka,
  {
    take,
    clock = systemClock,
    stop = new AbortController(),
  }: { take?: TakeRecord; clock?: typeof systemClock; stop?: AbortController } = {},
) => {
  const seen: string[] = [];
  const gates = new Map<string, Promise<void>>();
  const end = scan(
    { topic: TOPIC, ranges: kafka.ranges() },
    (record) => {
      const name = String(record.key);
      seen.push(name);
      return gates.get(name) ?? take?.(record);
    },
    {
      newClient: () => kafka.client,
      clock,
      log: silent,
      random: () => 0,
    },
    stop.signal,
  );
  end.catch(() => undefined);
  onTestFinished(() => stop.abort(new Error("the test is over")));
  const hold = (key: string): (() => void) => {
    let go: () => void = () => undefined;
    gates.set(key, new Promise((resolve) => (go = resolve)));
    return go;
  };
  const until = (name: string): Promise<unknown> =>
    eventually(() => seen.includes(name), `${name} to be read`);
  return { end, seen, hold, until, stop };
};

test("continues after a failure, and takes no record twice", async () => {
  const kafka = fakeKafka(2);
  kafka.append(0, named("a", 300));
  kafka.append(1, named("b", 300));
  const { end, seen, hold, until } = scanning(kafka);
  const go = hold("a-150");
  await until("a-150");
  kafka.state.away = true;
  go();
  await systemClock.sleep(50);
  kafka.state.away = false;
  await end;
  expect(seen).toHaveLength(600);
  expect(new Set(seen).size).toBe(600);
});

test.each<[string, (kafka: Kafka) => void, RegExp]>([
  ["its beginning is gone beyond what was read", (kafka) => kafka.dropBefore(0, 220), /is another log/],
  ["another topic of its name is shorter", (kafka) => kafka.replace(0), /is another log/],
  [
    "another topic of its name is longer",
    (kafka) => {
      kafka.replace(0);
      kafka.append(0, named("n", 400));
    },
    /is another log/,
  ],
])("rejects when %s", async (_, change, message) => {
  const kafka = fakeKafka(1);
  kafka.append(0, named("a", 300));
  const { end, seen, hold, until } = scanning(kafka);
  const go = hold("a-99");
  await until("a-99");
  change(kafka);
  kafka.append(0, named("new", 1));
  // Longer than a fetch takes: the topic may have been away.
  await systemClock.sleep(150);
  go();
  await expect(end).rejects.toThrow(message);
  expect(seen).toEqual(named("a", 100));
});

test("rejects with the error of `take`, synchronous or not", async () => {
  for (const take of [
    () => {
      throw new Error("the registry is away");
    },
    () => Promise.reject(new Error("the registry is away")),
  ]) {
    const kafka = fakeKafka(1);
    kafka.append(0, named("a", 3));
    const { end, seen } = scanning(kafka, { take });
    await expect(end).rejects.toThrow("the registry is away");
    expect(seen).toEqual(["a-0"]);
  }
});

test("ends when the signal aborts, and closes its connection", async () => {
  const kafka = fakeKafka(1);
  kafka.append(0, named("a", 300));
  const { end, hold, until, stop } = scanning(kafka);
  const go = hold("a-5");
  await until("a-5");
  stop.abort(new Error("the process stops"));
  go();
  await expect(end).rejects.toThrow("the process stops");
  await eventually(() => kafka.state.closed, "the connection to be closed");
});

test("rejects when nothing comes for a minute, with the reason", async () => {
  const kafka = fakeKafka(1);
  kafka.append(0, named("a", 300));
  let passedMs = 0;
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + passedMs };
  const { end, until, hold } = scanning(kafka, { clock });
  hold("a-150");
  await until("a-150");
  passedMs = 61_000;
  await expect(end).rejects.toThrow(/nothing more of commands came for 60 s: /);
});
