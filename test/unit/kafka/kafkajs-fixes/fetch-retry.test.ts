import type { Consumer } from "kafkajs";
import { expect, test } from "vitest";
import { onUnansweredFetch } from "../../../../src/kafka/kafkajs-fixes/fetch-retry.ts";

type Listener = (event: { payload: { apiName: string; broker: string } }) => void;

/** A consumer whose requests time out when the test says so. */
const consumer = () => {
  const listeners: Listener[] = [];
  const on = (_: string, listener: Listener) => listeners.push(listener);
  const timeOut = (apiName: string): void =>
    listeners.forEach((listener) => listener({ payload: { apiName, broker: "kafka-1:9092" } }));
  return { consumer: { on, events: {} } as unknown as Consumer, timeOut };
};

test.each<[string, string, number, string[]]>([
  ["a fetch counts", "Fetch", 400, ["kafka-1:9092 does not answer a fetch"]],
  ["another request does not: kafkajs looks for another broker", "Metadata", 400, []],
  ["a fetch does not, after the process itself stood still", "Fetch", 8_500, []],
])("of requests without an answer %s", (_, apiName, sinceTimerMs, said) => {
  const unanswered: string[] = [];
  const { consumer: current, timeOut } = consumer();
  onUnansweredFetch(current, {
    sinceTimerMs: () => sinceTimerMs,
    unanswered: ({ message }) => void unanswered.push(message),
  });
  timeOut(apiName);
  expect(unanswered).toEqual(said);
});
