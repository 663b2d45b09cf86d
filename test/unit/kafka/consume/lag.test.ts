import { expect, onTestFinished, test } from "vitest";
import { watchLag } from "../../../../src/kafka/consume/lag.ts";
import type { TopicRanges } from "../../../../src/kafka/ranges.ts";
import {
  newAssignedPartition,
  type AssignedPartition,
} from "../../../../src/kafka/consume/assigned-partition.ts";
import { Watermark } from "../../../../src/kafka/consume/watermark.ts";
import { eventually } from "../../../support/eventually.ts";

const held = (watermark: Watermark | null): AssignedPartition => ({
  ...newAssignedPartition(),
  watermark,
  waitsFor: null,
});

/** Partition 0, a clock in seconds that stands still, and a cluster that answers on demand. */
const watching = async (assigned: AssignedPartition, firstEnd: number | Error = 0, startOffset = 0) => {
  const state = { now: 1_000_000, asked: 0, end: firstEnd, closed: false };
  const stop = new AbortController();
  let wake: () => void = () => undefined;
  const cluster = {
    ranges: (): Promise<TopicRanges> => {
      state.asked += 1;
      const { end } = state;
      if (end instanceof Error) return Promise.reject(end);
      return Promise.resolve({ ranges: new Map([[0, { startOffset, endOffset: end }]]), missing: new Set() });
    },
    close: () => Promise.resolve(void (state.closed = true)),
  };
  const clock = {
    now: () => state.now,
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        wake = resolve;
        signal?.addEventListener("abort", () => resolve());
      }),
  };
  const { lag, share } = watchLag("commands", new Map([[0, assigned]]), {
    clock,
    connectCluster: () => Promise.resolve(cluster),
    signal: stop.signal,
  });
  onTestFinished(() => stop.abort());
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  await settle();
  return {
    state,
    ...{ stop, share },
    lag: () => lag().get(0),
    pass: (seconds: number) => void (state.now += seconds * 1_000),
    /** The next question, with this answer. */
    ask: async (end: number | Error): Promise<void> => {
      state.end = end;
      wake();
      await settle();
    },
  };
};

test("the share is of all partitions, and nothing while their number is unknown", async () => {
  expect((await watching(newAssignedPartition(), new Error("away"))).share()).toBe(0);
  expect((await watching(newAssignedPartition(), 5)).share()).toBe(1);
});

test("a partition has no lag before its committed offset is known", async () => {
  expect((await watching(newAssignedPartition(), 5)).lag()).toBeUndefined();
  expect((await watching(held(new Watermark(3)), 3)).lag()).toEqual({ records: 0, seconds: 0 });
});

test("the lag counts from the oldest unfinished record, with its age", async () => {
  const watermark = new Watermark(10);
  const { lag, pass } = await watching(held(watermark), 10);
  watermark.begin(10, 990_000);
  watermark.begin(11, 995_000);
  watermark.finish(11);
  expect(lag()).toEqual({ records: 2, seconds: 10 });
  pass(5);
  expect(lag()).toEqual({ records: 2, seconds: 15 });
  watermark.finish(10);
  expect(lag()).toEqual({ records: 0, seconds: 0 });
});

test("the lag of a partition that is not fetched grows, from when it was last read to its end", async () => {
  const { lag, pass, ask } = await watching(held(new Watermark(10, { offset: 9, timestampMs: 1 })), 10);
  pass(10);
  await ask(10);
  pass(4);
  await ask(17);
  pass(56);
  expect(lag()).toEqual({ records: 7, seconds: 60 });
});

test.each([
  ["at the start, unread records are at most as old as the record before them", 9],
  ["the age of the committed record is known from the commit's note", 10],
])("%s", async (_, offset) => {
  const { lag } = await watching(held(new Watermark(10, { offset, timestampMs: 400_000 })), 12);
  expect(lag()).toEqual({ records: 2, seconds: 600 });
});

test("for a log that is read from its beginning, the age is unknown until a record is read", async () => {
  const watermark = new Watermark(0);
  const { lag } = await watching(held(watermark), 12, 5);
  expect(lag()).toEqual({ records: 7, seconds: null });
  watermark.pass(5);
  watermark.begin(5, 999_000);
  expect(lag()).toEqual({ records: 7, seconds: 1 });
});

test("while the cluster does not answer, the last answer is used, and polling goes on", async () => {
  const { lag, pass, ask, state, stop } = await watching(held(new Watermark(10)), 10);
  await ask(20);
  pass(10);
  await ask(new Error("away"));
  expect(lag()).toEqual({ records: 10, seconds: 10 });
  await ask(30);
  expect(lag()).toEqual({ records: 20, seconds: 10 });
  expect(state.asked).toBe(4);
  stop.abort();
  await eventually(() => state.closed, "the connection to be closed");
});
