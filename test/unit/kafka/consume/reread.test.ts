import { expect, onTestFinished, test, vi } from "vitest";
import { createReread } from "../../../../src/kafka/consume/reread.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { fakeKafka, TOPIC } from "./fake-kafka.ts";

const open = (before: (kafka: ReturnType<typeof fakeKafka>) => void) => {
  const kafka = fakeKafka(2);
  before(kafka);
  let clients = 0;
  const newClient = () => {
    clients += 1;
    return kafka.client;
  };
  const { reread, stop } = createReread(TOPIC, { newClient, clock: systemClock, random: () => 0.5 });
  onTestFinished(stop);
  const read = async (partition: number, offset: number) => String((await reread(partition, offset))?.key);
  return { kafka, reread, read, clients: () => clients };
};

test("reads records of several partitions over one connection, and null for those that are gone", async () => {
  const { kafka, read, clients } = open((log) => {
    log.append(0, ["a", "b", "c"]);
    log.append(1, ["d"]);
    log.compact(0, 1);
  });
  expect(await Promise.all([read(0, 0), read(1, 0), read(0, 2)])).toEqual(["a", "d", "c"]);
  expect(await read(0, 1), "compacted").toBe("undefined");
  kafka.dropBefore(0, 2);
  expect(await read(0, 0), "deleted").toBe("undefined");
  expect(clients()).toBe(1);
});

test("tries again with another connection after a failure, and waits for a record that is not there yet", async () => {
  const { kafka, read, clients } = open((log) => log.append(0, ["a"]));
  kafka.state.away = true;
  const first = read(0, 0);
  await vi.waitFor(() => expect(kafka.state.fetches).toBe(1));
  kafka.state.away = false;
  expect(await first).toBe("a");
  expect(clients()).toBe(2);
  const next = read(0, 1);
  kafka.append(0, ["b"]);
  expect(await next).toBe("b");
});

test("rejects after 20 seconds, and goes on afterwards", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { kafka, reread, read } = open((log) => log.append(0, ["a"]));
  kafka.state.away = true;
  const late = expect(reread(0, 0)).rejects.toThrow("no answer within 20000 ms");
  await vi.advanceTimersByTimeAsync(20_000);
  await late;
  kafka.state.away = false;
  const after = read(0, 0);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await after).toBe("a");
});
