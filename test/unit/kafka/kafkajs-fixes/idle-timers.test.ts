import { createRequire } from "node:module";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { stopIdleTimers } from "../../../../src/kafka/kafkajs-fixes/idle-timers.ts";

type Queue = {
  push(request: { entry: { correlationId: number }; expectResponse: boolean; sendRequest: () => void }): void;
  fulfillRequest(response: { correlationId: number; payload: unknown; size: number }): void;
  maybeThrottle(forMs: number): void;
  checkPendingRequests(): void;
};

const require = createRequire(import.meta.url);
const RequestQueue = require("kafkajs/src/network/requestQueue/index.js") as new (options: object) => Queue;
stopIdleTimers();

const silent = { debug: () => {}, warn: () => {} };
const newQueue = (maxInFlightRequests: number | null): Queue =>
  new RequestQueue({
    maxInFlightRequests,
    requestTimeout: 8_000,
    enforceRequestTimeout: false,
    clientId: "test",
    broker: "127.0.0.1:9092",
    logger: silent,
  });

let sent: number[];
const push = (queue: Queue, correlationId: number): void => {
  const entry = { correlationId, resolve: () => {}, reject: () => {} };
  queue.push({ entry, expectResponse: true, sendRequest: () => sent.push(correlationId) });
};

beforeEach(() => {
  sent = [];
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("a queue with nothing pending sets no timer", () => {
  const queue = newQueue(null);
  push(queue, 1);
  queue.checkPendingRequests();
  queue.fulfillRequest({ correlationId: 1, payload: {}, size: 0 });
  expect(sent).toEqual([1]);
  expect(vi.getTimerCount()).toBe(0);
});

test("no timer has a negative delay", () => {
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
  expect(Math.min(...delays)).toBeGreaterThan(0);
});

test("what the broker throttles is sent when the throttling ends, and no earlier", () => {
  const queue = newQueue(null);
  queue.maybeThrottle(500);
  push(queue, 1);
  vi.advanceTimersByTime(499);
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(sent).toEqual([1]);
  expect(vi.getTimerCount()).toBe(0);
});

test("what waits for an answer to another request is sent when that comes", () => {
  const queue = newQueue(1);
  push(queue, 1);
  push(queue, 2);
  expect(sent).toEqual([1]);
  queue.fulfillRequest({ correlationId: 1, payload: {}, size: 0 });
  expect(sent).toEqual([1, 2]);
});
