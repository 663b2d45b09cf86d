import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ReaderHooks } from "../../../../src/kafka/consume/reader-hooks.ts";
import type { Reader, ReaderDeps } from "../../../../src/kafka/consume/reader.ts";
import { createReread } from "../../../../src/kafka/consume/reread.ts";
import type { Incoming } from "../../../../src/kafka/record.ts";
import { DeadlineError, systemClock } from "../../../../src/runtime/clock.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const POSITION = { from: 0, next: 0, isHidden: () => false, isCurrent: () => true };
const record = (partition: number, offset: number) => ({ partition, offset }) as Incoming;

/** A member of the group that keeps what it was told. */
const open = () => {
  const started: { hooks: ReaderHooks; focus: Map<number, number>[]; stopped: boolean }[] = [];
  const { reread, stop } = createReread(
    { topic: "journal", groupId: "group", sessionTimeoutMs: 10_000 },
    { clock: systemClock } as ReaderDeps,
    (_options, hooks) => {
      const own = { hooks, focus: [] as Map<number, number>[], stopped: false };
      started.push(own);
      return {
        focus: (positions) => void own.focus.push(new Map(positions)),
        stop: () => Promise.resolve(void (own.stopped = true)),
      } as Reader;
    },
  );
  return { reread, stop, started };
};

test("reads records of one partition and another with one member, and null for what is gone", async () => {
  const { reread, started } = open();
  const answers = [reread(0, 5), reread(0, 7), reread(1, 2)];
  expect(started).toHaveLength(1);
  const { hooks, focus } = started[0]!;
  expect(focus.at(-1)).toEqual(new Map([[0, 5], [1, 2]])); // prettier-ignore
  void hooks.read(0, [record(0, 6), record(0, 7)], POSITION);
  void hooks.read(1, [record(1, 2)], POSITION);
  expect(await Promise.all(answers)).toEqual([null, record(0, 7), record(1, 2)]);
  expect(focus.at(-1)).toEqual(new Map());
});

test("a request that took too long is forgotten: nothing is read for it, and the member leaves when idle", async () => {
  const { reread, started } = open();
  const late = expect(reread(0, 5)).rejects.toThrow(DeadlineError);
  await vi.advanceTimersByTimeAsync(19_000);
  const other = expect(reread(0, 9)).rejects.toThrow(DeadlineError);
  const [member] = started;
  expect(member!.focus.at(-1)).toEqual(new Map([[0, 5]]));
  await vi.advanceTimersByTimeAsync(1_000);
  await late;
  expect(member!.focus.at(-1)).toEqual(new Map([[0, 9]]));
  await vi.advanceTimersByTimeAsync(19_000);
  await other;
  expect(member!.focus.at(-1)).toEqual(new Map());
  expect(member!.stopped).toBe(false);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(member!.stopped).toBe(true);
});

test("a member that is needed again stays; the next request after it left opens another", async () => {
  const { reread, started } = open();
  const ask = async (offset: number) => {
    const answer = reread(0, offset);
    void started.at(-1)!.hooks.read(0, [record(0, offset)], POSITION);
    expect(await answer).toEqual(record(0, offset));
  };
  await ask(1);
  await vi.advanceTimersByTimeAsync(29_000);
  await ask(2);
  await vi.advanceTimersByTimeAsync(29_000);
  expect(started).toMatchObject([{ stopped: false }]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(started).toMatchObject([{ stopped: true }]);
  await ask(3);
  expect(started).toMatchObject([{ stopped: true }, { stopped: false }]);
});
