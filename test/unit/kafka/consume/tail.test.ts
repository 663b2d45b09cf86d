import { expect, onTestFinished, test } from "vitest";
import { silent } from "../../../../src/runtime/log.ts";
import { startTail, type TailHooks } from "../../../../src/kafka/consume/tail.ts";
import { createPlaces } from "../../../../src/kafka/consume/places.ts";
import { createView } from "../../../../src/commands-to-results/accept-once/view.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { released } from "../../commands-to-results/accept-once/journal.ts";
import { fakeKafka, TOPIC } from "./fake-kafka.ts";

type Kafka = ReturnType<typeof fakeKafka>;

/** A tail that feeds the view of a journal. `unknown`: keys of records that cannot be taken yet. */
const following = (kafka: Kafka, partitions: number) => {
  const view = createView({ partitions, partitionOf: () => 0 });
  const unknown = new Set<string>();
  const asked: [key: string, atMs: number][] = [];
  const taken: string[] = [];
  let begun = 0;
  const hooks: TailHooks = {
    begin: (ranges) => {
      begun += 1;
      for (const [partition, range] of ranges) view.begin(partition, range);
      return ranges;
    },
    absent: view.pass,
    take: (record) => {
      const key = String(record.key);
      if (unknown.has(key)) {
        asked.push([key, performance.now()]);
        return "later";
      }
      const entry = { operation: "ACCEPT_QUOTE" as const, commandId: "c", step: released("a") };
      const outcome = view.take({ ...record, key, entry });
      if (outcome === "folded") taken.push(key);
      return outcome !== "gap";
    },
  };
  const tail = startTail({ topic: TOPIC }, hooks, {
    newClient: () => kafka.client,
    ranges: () => Promise.resolve(kafka.topicRanges()),
    clock: systemClock,
    log: silent,
    random: () => 0,
  });
  onTestFinished(() => tail.stop());
  return { view, unknown, asked, taken, tail, begun: () => begun };
};

test("offsets that hold no record are stepped over, at the start, in the middle and at the end", async () => {
  const kafka = fakeKafka(1);
  kafka.skipOffset(0);
  kafka.append(0, ["a", "b"]);
  kafka.skipOffset(0);
  kafka.append(0, ["c"]);
  kafka.skipOffset(0);
  const { view, taken, begun } = following(kafka, 1);
  await eventually(() => view.ready(), "the view to be ready");
  kafka.append(0, ["d"]);
  await eventually(() => taken.includes("d"), "a record behind the last gap");
  expect(taken).toEqual(["a", "b", "c", "d"]);
  expect(begun()).toBe(1);
});

test("an entry that compaction has taken out is not passed over", async () => {
  const kafka = fakeKafka(1);
  kafka.append(0, ["a", "b", "c"]);
  kafka.compact(0, 1);
  const { view, taken, begun } = following(kafka, 1);
  await eventually(() => begun() > 1, "reading to start over");
  expect(taken).not.toContain("c");
  expect(view.ready()).toBe(false);
});

test("a record that cannot be taken yet is waited for where it stands, ever longer, and other partitions go on", async () => {
  const kafka = fakeKafka(2);
  const { view, unknown, asked, taken, begun } = following(kafka, 2);
  kafka.append(0, ["a"]);
  await eventually(() => taken.length === 1, "the first record");
  unknown.add("b");
  kafka.append(0, ["b", "c"]);
  await eventually(() => asked.length === 4, "some attempts");
  kafka.append(1, ["other"]);
  await eventually(() => taken.includes("other"), "a record of another partition");
  const waits = asked.slice(1).map(([, at], i) => at - asked[i]![1]);
  expect(waits[0]).toBeGreaterThanOrEqual(90);
  expect(waits[1]).toBeGreaterThanOrEqual(190);
  expect(waits[2]).toBeGreaterThanOrEqual(390);
  unknown.clear();
  await eventually(() => taken.length === 4, "all records");
  expect(taken.filter((key) => key !== "other")).toEqual(["a", "b", "c"]);
  expect(begun()).toBe(1);
  expect(view.nextOffset(0)).toBe(3);
});

test("a broker that reports an old end for a moment loses nothing, and one whose log is shorter is read again", async () => {
  const kafka = fakeKafka(1);
  const { taken, begun } = following(kafka, 1);
  kafka.append(0, ["a", "b", "c"]);
  await eventually(() => taken.length === 3, "all records");
  const restore = kafka.cutAt(0, 1);
  await eventually(() => kafka.state.outOfRange >= 2, "two refusals", 5_000);
  restore();
  kafka.append(0, ["d"]);
  await eventually(() => taken.length === 4, "the next record", 5_000);
  expect([taken, begun()]).toEqual([["a", "b", "c", "d"], 1]);
  kafka.replace(0);
  await eventually(() => begun() === 2, "reading to start over", 10_000);
}, 20_000);

test("a partition without a leader does not keep the others from being read", async () => {
  const kafka = fakeKafka(2);
  kafka.state.leaders[1] = -1;
  const { taken, tail } = following(kafka, 2);
  kafka.append(0, ["a"]);
  await eventually(() => taken.includes("a"), "a record of the other partition");
  await eventually(() => tail.troublesOf([1])?.[0]?.kind === "noLeader", "the reason", 5_000);
  expect(tail.troublesOf([0, 1])).toBeNull();
  kafka.append(1, ["b"]);
  kafka.append(0, ["c"]);
  await eventually(() => taken.includes("c"), "a later record of the other partition", 5_000);
  expect(taken).not.toContain("b");
  expect(tail.health()).toMatchObject({
    kind: "somePartitions",
    troubles: [{ kind: "noLeader", partition: 1 }],
  });
  kafka.state.leaders[1] = 1;
  await eventually(() => taken.includes("b"), "a record of the partition that has a leader again", 10_000);
  expect(tail.health()).toEqual({ kind: "up" });
}, 20_000);

test("a partition that cannot be asked at the start is begun when it can, and the others are not begun again", async () => {
  const kafka = fakeKafka(2);
  kafka.state.missing = [1];
  const { view, unknown, asked, taken, tail, begun } = following(kafka, 2);
  for (const partition of [0, 1]) kafka.append(partition, [`old-${partition}`]);
  await eventually(() => taken.includes("old-0"), "the partition that can be read");
  expect([view.unread(), tail.troublesOf([1])]).toEqual([[1], [{ kind: "noLeader", partition: 1 }]]);
  unknown.add("old-1");
  kafka.state.missing = [];
  await eventually(() => begun() === 2, "the other one", 10_000);
  // It stays excused until it is read.
  expect(tail.troublesOf(view.unread())).not.toBeNull();
  await eventually(() => asked.length > 0, "its first record", 10_000);
  const troubles = [{ kind: "catchingUp", partition: 1 }];
  expect(tail.unreadHealth(view.unread())).toEqual({ kind: "unreadPartitions", topic: TOPIC, troubles });
  // That excuses no outage.
  kafka.state.away = true;
  await eventually(() => tail.health().kind === "disconnected", "the outage");
  expect(tail.unreadHealth(view.unread())).toBeNull();
  kafka.state.away = false;
  unknown.clear();
  await eventually(() => view.ready(), "both", 10_000);
  expect([taken, begun()]).toEqual([["old-0", "old-1"], 2]);
}, 20_000);

test("a log that is idle for longer than retention is not read again when its leader changes", async () => {
  const kafka = fakeKafka(2);
  const { taken, begun, tail } = following(kafka, 2);
  for (const partition of [0, 1]) kafka.append(partition, [`old-${partition}`]);
  await eventually(() => taken.length === 2, "the records");
  kafka.dropBefore(0, 1);
  kafka.state.away = true;
  await eventually(() => tail.health().kind !== "up", "the fault");
  kafka.state.away = false;
  kafka.append(0, ["new"]);
  await eventually(() => taken.includes("new"), "the next record", 5_000);
  expect([taken.length, begun()]).toEqual([3, 1]);
}, 20_000);

test("a batch that cannot be read is forgotten once the log ends before it", () => {
  const signal = new AbortController();
  onTestFinished(() => signal.abort());
  const deps = { clock: systemClock, log: silent };
  const places = createPlaces(TOPIC, () => undefined, deps, signal.signal);
  places.add(new Map([[0, { startOffset: 5, endOffset: 9 }]]));
  const lack = { kind: "unreadableBatch", offset: 5, cause: "it is corrupt" } as const;
  places.fail([...places.byPartition], lack, 1_000);
  const answer = {
    partition: 0,
    from: 5,
    error: null,
    records: [],
    next: 5,
    startOffset: 0,
  };
  places.heal([{ ...answer, endOffset: 9 }]);
  expect(places.troubles()).toEqual([{ partition: 0, ...lack }]);
  places.heal([{ ...answer, endOffset: 5 }]);
  expect(places.troubles()).toEqual([]);
});
