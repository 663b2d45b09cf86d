import { createRequire } from "node:module";
import { expect, onTestFinished, test, vi } from "vitest";
import { stopIdleTimers } from "../../../../src/kafka/kafkajs-fixes/idle-timers.ts";

type Queue = {
  push(request: { entry: { correlationId: number }; expectResponse: boolean; sendRequest: () => void }): void;
  fulfillRequest(response: { correlationId: number; payload: unknown; size: number }): void;
  maybeThrottle(forMs: number): void;
};

const require = createRequire(import.meta.url);
const RequestQueue = require("kafkajs/src/network/requestQueue/index.js") as new (options: object) => Queue;
stopIdleTimers();

const silent = { debug: () => {}, warn: () => {} };
const newQueue = (maxInFlightRequests: number): Queue =>
  new RequestQueue({
    maxInFlightRequests,
    requestTimeout: 8_000,
    enforceRequestTimeout: false,
    clientId: "test",
    broker: "127.0.0.1:9092",
    logger: silent,
  });

const sent: number[] = [];
const push = (queue: Queue, correlationId: number): void => {
  const entry = { correlationId, resolve: () => {}, reject: () => {} };
  queue.push({ entry, expectResponse: true, sendRequest: () => sent.push(correlationId) });
};

test("no timer has a negative delay, and none is left where nothing is pending", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const setTimer = vi.spyOn(globalThis, "setTimeout");
  const queue = newQueue(1);
  push(queue, 1);
  push(queue, 2);
  queue.maybeThrottle(50);
  vi.advanceTimersByTime(40);
  queue.fulfillRequest({ correlationId: 1, payload: {}, size: 0 });
  vi.advanceTimersByTime(200);
  queue.fulfillRequest({ correlationId: 2, payload: {}, size: 0 });
  vi.advanceTimersByTime(200);
  expect(sent).toEqual([1, 2]);
  const delays = setTimer.mock.calls.map(([, delayMs]) => delayMs ?? 0);
  expect(delays).not.toHaveLength(0);
  expect(vi.getTimerCount()).toBe(0);
  expect(Math.min(...delays)).toBeGreaterThan(0);
});
