import { setImmediate as turn } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { watchJournal } from "../../../../../src/commands-to-results/accept-once/journal/watch.ts";
import { createView } from "../../../../../src/commands-to-results/accept-once/view.ts";
import { NO_HEADERS } from "../../../../../src/kafka/headers.ts";
import type { Range } from "../../../../../src/kafka/ranges.ts";
import { startTail } from "../../../../../src/kafka/consume/tail.ts";
import { systemClock } from "../../../../../src/runtime/clock.ts";
import { silent } from "../../../../../src/runtime/log.ts";
import { eventually } from "../../../../support/eventually.ts";
import { concluded, released } from "../journal.ts";
import { sentenceOf } from "../../../../../src/runtime/health.ts";

const said = ({ fault }: ReturnType<typeof watchJournal>): string => {
  const health = fault();
  return health ? sentenceOf(health) : "";
};

const HOUR_MS = 3_600_000;

const record = (offset: number, timestampMs = Date.now()) => ({
  topic: "journal",
  partition: 0,
  offset,
  timestampMs,
  key: Buffer.from("q"),
  value: null,
  headers: NO_HEADERS,
});

/** A watch over a journal of one partition, and what the cluster says of it. */
const watched = async (
  length: number,
  notes: readonly string[] = [],
  ageMs = 0,
  isMute = false,
  step = released("a"),
) => {
  const events: string[] = [];
  const warnings: [event: string, fields: object][] = [];
  const asked = { notes: 0 };
  const timestampMs = Date.now() - ageMs;
  let seconds = 0;
  let wake = (): void => undefined;
  const sleep = (): Promise<void> => new Promise((resolve) => (wake = resolve));
  const note = (_: object, event: string): void => void events.push(event);
  const warn = (fields: object, event: string): void => {
    note(fields, event);
    warnings.push([event, fields]);
  };
  const log = { trace: note, debug: note, info: note, warn, error: note, fatal: note };
  const view = createView({ partitions: 1, partitionOf: () => 0 });
  const cluster = {
    extent: { startOffset: 0, endOffset: length } as Range | null,
    problems: [] as string[],
    isMute,
    isAway: false,
    isRepartitioned: false,
    /** Partitions that nobody leads. */
    added: [] as number[],
  };
  const ranges = () => ({
    ranges: new Map(cluster.extent ? [[0, cluster.extent]] : []),
    missing: new Set(cluster.added),
  });
  const watch = watchJournal(
    {
      topic: "journal",
      view,
      partitions: 1,
      notes: () => {
        asked.notes += 1;
        return cluster.isMute ? Promise.reject(new Error("no coordinator")) : Promise.resolve(notes);
      },
      problems: () => Promise.resolve(cluster.problems),
      partitionOf: () => (cluster.isRepartitioned ? 1 : 0),
      mayBeginChanged: () => undefined,
      ranges: () => (cluster.isAway ? Promise.reject(new Error("no leader")) : Promise.resolve(ranges())),
    },
    { clock: { ...systemClock, sleep, monotonic: () => seconds * 1_000 }, log },
  );
  onTestFinished(() => watch.stop());
  if (!isMute) watch.begin((await watch.ranges()).ranges, 1);
  const read = (offset: number, timestampMs?: number): void => {
    const incoming = record(offset, timestampMs);
    if (!watch.isOurs(incoming)) return;
    const entry = { operation: "ACCEPT_QUOTE" as const, commandId: "c", step };
    if (view.take({ ...incoming, key: "q", entry }) === "folded") watch.learn(incoming);
  };
  for (let offset = 0; offset < length; offset++) read(offset, timestampMs);
  const look = async (times: number) => {
    for (let i = 0; i < times; i++) {
      seconds += 1;
      wake();
      await turn();
    }
  };
  return { watch, view, cluster, read, look, events, warnings, asked, timestampMs };
};

it("trusts a journal that grows", async () => {
  const { watch, view, cluster, read, look, events } = await watched(3);
  cluster.extent = { startOffset: 0, endOffset: 4 };
  read(3);
  await look(5);
  expect([view.ready(), watch.fault(), events]).toEqual([true, null, []]);
});

it.each([
  [{ partition: 0, offset: 2 }, "journal took a new entry at offset 2"],
  // It does not say that one stood there.
  [{ partition: 1, offset: 0 }, "journal has other partitions than before"],
])("loses it for good when an entry lands at %j, where none can", async (position, cause) => {
  const { watch, view, look, events } = await watched(3);
  const appended = watch.appending(0);
  appended({ partition: 0, offset: 3 });
  expect(view.ready()).toBe(true);
  appended(position);
  await look(5);
  expect([view.ready(), events]).toEqual([false, ["journal.lost"]]);
  expect(said(watch)).toContain(cause);
});

it("loses it for good when another record stands where one was read, and keeps what it knew", async () => {
  const { watch, view, read, events } = await watched(3);
  const note = watch.note();
  read(2, 1);
  read(3);
  expect([view.ready(), view.nextOffset(0), events]).toEqual([false, 3, ["journal.lost"]]);
  expect(watch.note()).toBe(note);
});

it("stops for good when partitions were added, though no entry has moved, also where nobody leads them yet", async () => {
  const { watch, view, cluster, look, events } = await watched(3);
  cluster.added = [1];
  await look(1);
  expect([view.ready(), events]).toEqual([false, ["journal.lost"]]);
  expect(watch.fault()).toMatchObject({ kind: "lost", cause: expect.stringContaining("2 now") as string });
  expect(watch.note(), "it still says what the group knows").toContain("partitions:1 ");
});

it("begins nothing before the group's commits say how many partitions there are", async () => {
  const { watch } = await watched(3);
  expect(watch.mayBegin()).toBe(false);
  watch.compare(["read:1@2", watch.note() ?? ""]);
  expect(watch.mayBegin()).toBe(true);
});

it.each([
  ["at its start", ["partitions:2 0:1@2"], false],
  ["when it takes over partitions", [], true],
])("loses it for good, and says nothing to the group, which counts others: %s", async (_, notes, isLater) => {
  const { watch, view } = await watched(3, notes);
  if (isLater) watch.compare(["partitions:2"]);
  expect([view.ready(), watch.mayBegin(), watch.note()]).toEqual([false, false, null]);
});

it("loses it for good when an entry stands where its key does not belong any more", async () => {
  const { watch, view, cluster, read, events } = await watched(3);
  cluster.isRepartitioned = true;
  read(3);
  expect([view.ready(), view.nextOffset(0), events]).toEqual([false, 3, ["journal.lost"]]);
  expect(said(watch)).toContain("has other partitions than before: offset 3 of 0 is of 1 now");
});

it.each([
  [1.5, false],
  [23.9, false],
  [29, false],
  [31, true],
])("an entry that is gone after %d h: whether it goes on is %s", async (hours, goesOn) => {
  const { watch, view, cluster, look } = await watched(3, [], hours * HOUR_MS);
  cluster.extent = { startOffset: 2, endOffset: 3 };
  await look(1);
  expect(view.ready()).toBe(goesOn);
  if (goesOn) expect(watch.fault()).toBeNull();
  else expect(said(watch)).toContain(`which was ${hours * 3_600} s old`);
});

it("forgets at once what retention has deleted, and nothing of a journal that it has lost", async () => {
  for (const [ageMs, isForgotten] of [
    [31 * HOUR_MS, true],
    [HOUR_MS, false],
  ] as const) {
    const { view, cluster, look } = await watched(3, [], ageMs, false, concluded(null, "REJECTED"));
    const ref = { operation: "ACCEPT_QUOTE", key: "q", commandId: "c" } as const;
    await look(1);
    expect(view.look(ref).kind).toBe("concluded");
    cluster.extent = { startOffset: 3, endOffset: 3 };
    await look(1);
    expect([view.ready(), view.look(ref).kind]).toEqual([isForgotten, isForgotten ? "free" : "concluded"]);
  }
});

it("takes no command again after the setting was mended, if entries are gone by then", async () => {
  const { watch, view, cluster, look, events } = await watched(3, [], HOUR_MS);
  cluster.problems = ["Topic journal is kept for an hour."];
  await look(6);
  cluster.extent = { startOffset: 3, endOffset: 3 };
  cluster.problems = [];
  await look(6);
  expect([view.ready(), events]).toEqual([false, ["journal.unfit", "journal.lost", "journal.fit"]]);
  expect(said(watch)).toContain("has dropped offset 2");
});

it("waits while its end is missing, not for one look, and goes on when it is there", async () => {
  const { watch, view, cluster, look, events } = await watched(3);
  const { extent } = cluster;
  cluster.extent = null;
  await look(2);
  expect(view.ready()).toBe(true);
  await look(1);
  expect([view.ready(), events]).toEqual([false, ["journal.missing"]]);
  cluster.extent = extent;
  await look(1);
  expect([view.ready(), watch.fault(), events]).toEqual([true, null, ["journal.missing", "journal.found"]]);
});

it("counts its end as missing only in three looks one after the other, and mends no loss by finding it", async () => {
  const { watch, view, cluster, look } = await watched(3);
  const { extent } = cluster;
  for (const looks of [2, 2]) {
    cluster.extent = null;
    await look(looks);
    cluster.extent = extent;
    await look(1);
  }
  expect(view.ready()).toBe(true);
  cluster.extent = null;
  await look(3);
  watch.appending(0)({ partition: 0, offset: 0 });
  cluster.extent = extent;
  await look(1);
  expect(view.ready()).toBe(false);
  expect(said(watch)).toContain("journal took a new entry");
});

it("goes on while it sees nothing", async () => {
  const { view, cluster, look, events } = await watched(3);
  cluster.isAway = true;
  await look(10);
  expect([view.ready(), events]).toEqual([true, []]);
});

it("waits for a group that cannot be asked, says so once, and goes on by itself", async () => {
  const before = await watched(3);
  const notes = [before.watch.note() ?? ""];
  const { watch, view, cluster, read, look, events, warnings, asked } = await watched(0, notes, 0, true);
  cluster.extent = { startOffset: 0, endOffset: 3 };
  let readers = 0;
  const tail = startTail(
    { topic: "journal" },
    {
      begin: (ranges, partitions) => {
        watch.begin(ranges, partitions);
        return ranges;
      },
      take: () => true,
    },
    {
      clock: { ...systemClock, sleep: () => new Promise((resolve) => setImmediate(resolve)) },
      ranges: watch.ranges,
      newClient: () => {
        readers += 1;
        throw new Error("a reader of paper");
      },
      log: silent,
      random: () => 0,
    },
  );

  await eventually(() => asked.notes > 3, "several questions to the group");
  await look(10);
  expect(warnings).toEqual([["journal.notes.waiting", { topic: "journal", reason: "no coordinator" }]]);
  expect(events).toEqual(["journal.notes.waiting"]);
  expect(tail.health()).toMatchObject({
    kind: "disconnected",
    cause: "what the group knows of journal cannot be asked for: no coordinator",
  });
  expect([view.ready(), view.nextOffset(0), watch.note(), readers]).toEqual([false, null, null, 0]);

  cluster.isMute = false;
  await eventually(() => readers > 0, "reading to begin");
  const questions = asked.notes;
  expect([view.ready(), view.nextOffset(0), watch.note()]).toEqual([false, 0, ...notes]);
  for (const offset of [0, 1, 2]) read(offset, before.timestampMs);
  expect([view.ready(), watch.fault(), events]).toEqual([true, null, ["journal.notes.waiting"]]);
  await watch.ranges();
  expect(asked.notes, "what the group said is asked for once").toBe(questions);
  await tail.stop();
});

it("is never ready with a journal that is shorter, emptier or another than the group's notes say", async () => {
  const before = await watched(3);
  const notes = [before.watch.note() ?? ""];
  const shorter = await watched(2, notes);
  expect(shorter.view.ready()).toBe(false);
  const other = await watched(0, notes);
  other.cluster.extent = { startOffset: 0, endOffset: 3 };
  for (const offset of [0, 1, 2]) other.read(offset, 1);
  expect([other.view.ready(), other.events]).toEqual([false, ["journal.lost"]]);
});

it("is not ready for an instant with a journal that has not even the partitions that the group's notes name", async () => {
  const before = await watched(3);
  const note = (before.watch.note() ?? "").replace(/ 0:/, " 1:");
  const { watch, view, events } = await watched(0, [note]);
  expect([view.ready(), events]).toEqual([false, ["journal.lost"]]);
  expect(said(watch)).toContain("journal has no partition 1");
});
