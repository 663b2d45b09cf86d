import { expect, test } from "vitest";
import { createLiveStreams } from "../../../src/console/live/streams.ts";
import type { Clock } from "../../../src/runtime/clock.ts";
import { systemClock } from "../../../src/runtime/clock.ts";

/** Streams under a clock that a test turns. */
const open = () => {
  let nowMs = 0;
  const sleepers = new Set<{ untilMs: number; wake: () => void }>();
  const clock: Clock = {
    ...systemClock,
    monotonic: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { untilMs: nowMs + ms, wake: resolve };
        sleepers.add(sleeper);
        const stop = () => {
          sleepers.delete(sleeper);
          reject(new Error("aborted"));
        };
        sleeper.wake = () => {
          signal?.removeEventListener("abort", stop);
          resolve();
        };
        signal?.addEventListener("abort", stop);
      }),
  };
  const hearers = new Set<() => void>();
  const onChange = (hear: () => void) => {
    hearers.add(hear);
    return () => hearers.delete(hear);
  };
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const streams = createLiveStreams({ onChange }, clock);
  return {
    streams,
    opened: () => streams.open("ana") as ReadableStream<Uint8Array>,
    hearers,
    sleepers,
    change: () => hearers.forEach((hear) => hear()),
    pass: async (ms: number) => {
      for (const end = nowMs + ms; nowMs < end;) {
        nowMs += 1_000;
        for (const sleeper of sleepers)
          if (sleeper.untilMs <= nowMs) {
            sleepers.delete(sleeper);
            sleeper.wake();
          }
        await settle();
      }
    },
  };
};

/** Reads what is there by now. */
const reader = (stream: ReadableStream<Uint8Array>) => {
  const heard: string[] = [];
  const source = stream.getReader();
  const text = new TextDecoder();
  const done = (async () => {
    for (;;) {
      const { value, done } = await source.read();
      if (done) return;
      heard.push(...(text.decode(value).match(/event: (\w+)/g) ?? []));
    }
  })();
  return { heard, done, cancel: () => source.cancel() };
};

test("a change is sent once a second at most, to everybody", async () => {
  const { opened, change, pass } = open();
  const [one, two] = [reader(opened()), reader(opened())];
  for (let i = 0; i < 1_000; i++) change();
  await pass(1_000);
  for (let i = 0; i < 1_000; i++) change();
  await pass(1_000);
  for (const { heard } of [one, two])
    expect(heard.filter((event) => event === "event: change")).toHaveLength(2);
});

test("sends heartbeats, and ends after ten minutes", async () => {
  const { streams, opened, pass } = open();
  const { heard, done } = reader(opened());
  await pass(59_000);
  expect(heard.filter((event) => event === "event: beat")).toHaveLength(6);
  await pass(600_000);
  await done;
  expect(streams.count()).toBe(0);
});

test("a stream that is left is removed at once, and with the last one the subscription and all timers end", async () => {
  const { streams, opened, hearers, sleepers } = open();
  const all = [reader(opened()), reader(opened())];
  expect(hearers.size).toBe(1);
  await all[0]!.cancel();
  expect([streams.count(), hearers.size]).toEqual([1, 1]);
  await all[1]!.cancel();
  expect([streams.count(), hearers.size, sleepers.size]).toEqual([0, 0, 0]);
});

test("a hundred at most, of all users", async () => {
  const { streams } = open();
  const all = [...Array(100).keys()].map((nth) => streams.open(`user-${nth}`) as ReadableStream<Uint8Array>);
  expect(streams.open("one more")).toBeNull();
  await all[0]!.cancel();
  expect(streams.open("one more")).toBeInstanceOf(ReadableStream);
});

test("ten at most of one user: the eleventh ends the user's oldest, and nobody else's", async () => {
  const { streams, opened, change, pass } = open();
  const ben = reader(streams.open("ben")!);
  const ana = [...Array(11).keys()].map(() => reader(opened()));
  await ana[0]!.done;
  expect(streams.count()).toBe(11);
  change();
  await pass(1_000);
  for (const { heard } of [ben, ...ana.slice(1)]) expect(heard).toContain("event: change");
  expect(ana[0]!.heard).not.toContain("event: change");
});

test("without sign-in only the bound of all applies", () => {
  const { streams } = open();
  for (let nth = 0; nth < 100; nth++) expect(streams.open(null)).toBeInstanceOf(ReadableStream);
  expect(streams.open(null)).toBeNull();
});

test("a user at the bound gets a stream also when all are taken, in place of the oldest", () => {
  const { streams } = open();
  for (let nth = 0; nth < 90; nth++) streams.open(null);
  for (let nth = 0; nth < 10; nth++) streams.open("ana");
  expect(streams.open("ben")).toBeNull();
  expect(streams.open("ana")).toBeInstanceOf(ReadableStream);
  expect(streams.count()).toBe(100);
});

test("a stream that is not read is closed", async () => {
  const { streams, opened, change, pass } = open();
  opened();
  for (let i = 0; i < 20; i++) {
    change();
    await pass(1_000);
  }
  expect(streams.count()).toBe(0);
});
