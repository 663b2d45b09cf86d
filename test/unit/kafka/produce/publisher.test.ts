import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, test } from "vitest";
import {
  createPublisher,
  type Publisher,
  type PublisherOptions,
} from "../../../../src/kafka/produce/publisher.ts";
import { encodeHeaders } from "../../../../src/kafka/produce/record-batch.ts";
import type { Header } from "../../../../src/kafka/record.ts";
import type { PublishError } from "../../../../src/kafka/produce/publish-error.ts";
import { systemClock, type Clock } from "../../../../src/runtime/clock.ts";
import { silent } from "../../../../src/runtime/log.ts";
import { eventually } from "../../../support/eventually.ts";
import { paperCluster, protocolError } from "./fake-session.ts";
import { isUp, sentenceOf } from "../../../../src/runtime/health.ts";

const opened: Publisher[] = [];
afterEach(async () => {
  for (const publisher of opened.splice(0)) await publisher.close(0);
});

const LONG_MS = 60_000;

const setUp = (partitions = 1, options: Partial<PublisherOptions> = {}, clock = systemClock, random = 0) => {
  const { cluster, openLookup, openSender } = paperCluster(partitions);
  const publisher = createPublisher(
    { topic: "t", maxWaiting: 10_000, maxWaitingBytes: 10_000_000, sendTimeoutMs: LONG_MS, ...options },
    { openLookup, openSender, clock, log: silent, random: () => random },
  );
  opened.push(publisher);
  const publish = (key: string | null, timeoutMs = LONG_MS, bytes = 10) =>
    publisher.publish(
      { key: key === null ? null : Buffer.from(key), value: Buffer.alloc(bytes), headers: [] },
      timeoutMs,
    );
  /** The code of the error that a publish ends with. */
  const failure = (publishing: Promise<unknown>): Promise<string> =>
    publishing.then(() => "written").catch((error: unknown) => (error as PublishError).code);
  return { cluster, publisher, publish, failure };
};
const keys = (count: number): string[] => Array.from({ length: count }, (_, i) => `k-${i}`);
const hangs = (): Promise<void> => new Promise(() => undefined);
type Cluster = ReturnType<typeof setUp>["cluster"];
const onceBefore = (cluster: Cluster, behaviour: () => Promise<void>): void => {
  cluster.before = () => {
    cluster.before = () => Promise.resolve();
    return behaviour();
  };
};

describe("when all is well", () => {
  test("each record gets its own offset, and records of a key keep their order", async () => {
    const { cluster, publish, publisher } = setUp(3);
    const written = await Promise.all([...keys(50), ...keys(50)].map((key) => publish(key)));
    for (const [i, { partition, offset }] of written.entries())
      expect(cluster.logs[partition]?.[offset]).toBe(`k-${i % 50}`);
    expect(cluster.all()).toHaveLength(100);
    expect([publisher.health(), publisher.waiting()]).toEqual([{ kind: "up" }, 0]);
  });

  test("one send per leader is under way; records that arrive meanwhile are the next batch", async () => {
    const { cluster, publish } = setUp(2);
    await publish("first");
    let release: (() => void) | undefined;
    cluster.before = () => new Promise((resolve) => (release = resolve));
    const one = publish("one");
    await eventually(() => release !== undefined, "the first send");
    cluster.before = () => Promise.resolve();
    const others = keys(30).map((key) => publish(key));
    release?.();
    await Promise.all([one, ...others]);
    expect(cluster.most).toBe(1);
    expect(cluster.batches.map((batch) => batch.length)).toEqual([1, 1, 30]);
  });

  test.each([
    [3_000, 10, 1_000],
    [6, 300_000, 2],
  ])(
    "%i records of %i bytes are sent in batches of %i at most, which brokers accept",
    async (count, bytes, most) => {
      const { cluster, publish } = setUp();
      await Promise.all(keys(count).map((key) => publish(key, LONG_MS, bytes)));
      expect(Math.max(...cluster.batches.map((batch) => batch.length))).toBeLessThanOrEqual(most);
      expect(cluster.logs[0]).toEqual(keys(count));
    },
  );

  test("reports the time of each acknowledged record, but not of one that was given up", async () => {
    const times: number[] = [];
    const { cluster, publish, failure } = setUp(1, { acknowledged: (ms) => void times.push(ms) });
    cluster.before = () => systemClock.sleep(200);
    await publish("quick");
    expect(await failure(publish("late", 50))).toBe("timeout");
    await publish("next");
    expect(cluster.all()).toEqual(["quick", "late", "next"]);
    expect(times).toHaveLength(2);
    for (const ms of times) expect(ms).toBeGreaterThan(190);
  });
});

describe("bounds", () => {
  test("a record that is not acknowledged in time is rejected, also while no broker can be reached", async () => {
    const { cluster, publish, publisher, failure } = setUp();
    cluster.unreachable = new Error("nobody there");
    expect(await failure(publish("k", 150))).toBe("timeout");
    expect(publisher.health()).toMatchObject({ kind: "disconnected", cause: "nobody there" });
    cluster.unreachable = null;
    await publish("first");
    cluster.before = hangs;
    const startedAt = performance.now();
    expect(await failure(publish("late", 200))).toBe("timeout");
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(200);
    expect(publisher.waiting()).toBe(0);
  });

  test("records that were given up during an outage are not kept in memory", async () => {
    const { cluster, publish, publisher, failure } = setUp();
    await publish("first");
    const held: WeakRef<Buffer>[] = [];
    const lose = async (): Promise<void> => {
      const value = Buffer.alloc(100_000);
      held.push(new WeakRef(value));
      const record = { key: Buffer.from("k"), value, headers: [] };
      expect(await failure(publisher.publish(record, 20))).toBe("timeout");
    };
    cluster.unreachable = new Error("away");
    cluster.before = () => Promise.reject(new Error("away"));
    await Promise.all(Array.from({ length: 50 }, lose));
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const areGone = (): boolean => {
      collect();
      return held.every((reference) => reference.deref() === undefined);
    };
    await eventually(areGone, "the records to be let go of", 5_000);
  });

  test("too many records, or too many bytes, are rejected at once, until there is room again", async () => {
    const { cluster, publish, failure } = setUp(1, { maxWaiting: 2, maxWaitingBytes: 5_000 });
    cluster.before = hangs;
    const waiting = [failure(publish("a", 300)), failure(publish("b", 300))];
    expect(await failure(publish("c"))).toBe("overloaded");
    expect(await Promise.all(waiting)).toEqual(["timeout", "timeout"]);
    cluster.before = () => Promise.resolve();
    expect(await failure(publish("large", LONG_MS, 6_000))).toBe("overloaded");
  });

  test("headers, encoded already or not, count among the bytes", async () => {
    const { publisher, failure } = setUp(1, { maxWaitingBytes: 5_000 });
    const record = { key: null, value: null, headers: [] };
    const headers: Header[] = [
      ["large", "x".repeat(6_000)],
      ["large", null],
    ];
    const encodedHeaders = encodeHeaders(headers);
    expect(await failure(publisher.publish(record, LONG_MS))).toBe("written");
    expect(await failure(publisher.publish({ ...record, headers }, LONG_MS))).toBe("overloaded");
    expect(await failure(publisher.publish({ ...record, encodedHeaders }, LONG_MS))).toBe("overloaded");
  });

  test("when a topic accepts only small batches, few are refused: a refused batch may be written in part", async () => {
    const { cluster, publish } = setUp();
    let refused = 0;
    cluster.before = (batch) => {
      if (batch.length <= 40) return Promise.resolve();
      refused += 1;
      return Promise.reject(protocolError("MESSAGE_TOO_LARGE"));
    };
    await Promise.all(keys(3_000).map((key) => publish(key)));
    expect(cluster.logs[0]).toEqual(keys(3_000));
    // 1,000, 500, 250, 125 and 62.
    expect(refused).toBe(5);
  });

  test.each([
    ["that Kafka finds too large", protocolError("MESSAGE_TOO_LARGE"), "refused"],
    ["of which a record breaks a rule of the topic", protocolError("INVALID_RECORD"), "invalid"],
    ["of which Kafka finds a time wrong", protocolError("INVALID_TIMESTAMP"), "invalid"],
  ])("a batch %s is sent record by record, and only that one is refused", async (_, refusal, code) => {
    const { cluster, publish, failure } = setUp();
    await publish("first");
    cluster.before = (batch) =>
      batch.some(({ record }) => record.value?.length === 5_000)
        ? Promise.reject(refusal)
        : Promise.resolve();
    const records = [publish("a"), publish("large", LONG_MS, 5_000), publish("b")];
    expect(await Promise.all(records.map(failure))).toEqual(["written", code, "written"]);
    expect(cluster.logs[0]).toEqual(["first", "a", "b"]);
    expect(cluster.opened, "the connection is whole").toBe(1);
  });
});

describe("when leaders move and connections break", () => {
  test.each([
    ["that the old leader refuses", () => Promise.reject(protocolError("NOT_LEADER_FOR_PARTITION"))],
    ["that a broker does not answer which lost its partitions", hangs],
  ])("a batch %s goes to the new leader", async (_, end) => {
    const { cluster, publish, publisher } = setUp(2);
    await publish("first");
    onceBefore(cluster, () => {
      cluster.leaders = [2, 2];
      return end();
    });
    await Promise.all(keys(10).map((key) => publish(key)));
    expect([...cluster.all()].sort()).toEqual(["first", ...keys(10)].sort());
    expect(publisher.health()).toEqual({ kind: "up" });
  });

  test("where only some partitions refuse, the others are written once, and the rest when it can be", async () => {
    const { cluster, publish } = setUp(3);
    await publish("warm");
    cluster.refusing.set(0, protocolError("NOT_ENOUGH_REPLICAS"));
    const all = keys(60);
    const pending = new Set(all);
    const publishing = all.map((key) => publish(key).finally(() => pending.delete(key)));
    const isRefused = (key: string): boolean => !cluster.logs.slice(1).flat().includes(key);
    const areOthersWritten = () => [...pending].every(isRefused) && cluster.batches.length > 3;
    await eventually(areOthersWritten, "the other partitions");
    const later = keys(120).slice(60);
    const publishingLater = later.map((key) => publish(key).finally(() => pending.delete(key)));
    await eventually(() => cluster.logs.slice(1).flat().length > 60, "records that came later");
    expect(pending.size).toBeGreaterThan(0);
    expect(cluster.logs[0]?.filter((key) => key !== "warm")).toEqual([]);
    cluster.refusing.clear();
    await Promise.all([...publishing, ...publishingLater]);
    expect(cluster.all().sort()).toEqual(["warm", ...all, ...later].sort());
  });

  test("a record that one partition refuses for good fails alone, among records of others", async () => {
    const { cluster, publish, failure } = setUp(2);
    await publish("warm");
    cluster.refusing.set(1, protocolError("MESSAGE_TOO_LARGE"));
    const outcomes = await Promise.all(keys(40).map((key) => failure(publish(key))));
    const written = keys(40).filter((_, i) => outcomes[i] === "written");
    expect(new Set(outcomes)).toEqual(new Set(["written", "refused"]));
    expect(cluster.all().sort()).toEqual(["warm", ...written].sort());
  });

  test("after an unknown outcome the connection is replaced; a record may be duplicated, never lost", async () => {
    const { cluster, publish } = setUp();
    await publish("first");
    cluster.after = () => {
      cluster.after = () => Promise.resolve();
      return Promise.reject(new Error("connection lost"));
    };
    await publish("doubtful");
    expect(cluster.logs[0]).toEqual(["first", "doubtful", "doubtful"]);
    expect(cluster.opened).toBe(2);
  });

  test("a send that hangs is repeated on a new connection", async () => {
    const { cluster, publish } = setUp(1, { sendTimeoutMs: 100 });
    await publish("first");
    onceBefore(cluster, hangs);
    await publish("again");
    expect(cluster.logs[0]).toEqual(["first", "again"]);
    expect(cluster.opened).toBe(2);
    await eventually(() => cluster.closed === 1, "the old connection to be closed");
  });

  test("records keep their order over a failure", async () => {
    const { cluster, publish } = setUp();
    await publish("first");
    let failures = 2;
    cluster.before = () => {
      failures -= 1;
      return failures >= 0 ? Promise.reject(protocolError("NOT_ENOUGH_REPLICAS")) : Promise.resolve();
    };
    const many = keys(600).map((key) => publish(key));
    await Promise.all(many);
    expect(cluster.logs[0]).toEqual(["first", ...keys(600)]);
  });
});

describe("when one partition takes nothing", () => {
  const lame = 0;
  const lack = protocolError("NOT_ENOUGH_REPLICAS");

  /** Keys of the partition that will be lame, and of the others, once each is written. */
  const split = async ({ cluster, publish }: ReturnType<typeof setUp>) => {
    await Promise.all(keys(30).map((key) => publish(key)));
    return { ofLame: [...cluster.logs[lame]!], others: cluster.logs.slice(1).flat() };
  };

  test("the others are written without a wait, and it counts as up; when it takes records again, all is as before", async () => {
    const world = setUp(3, { sendTimeoutMs: 400 });
    const { cluster, publish, publisher, failure } = world;
    const { ofLame, others } = await split(world);
    cluster.refusing.set(lame, lack);
    const stuck = failure(publish(ofLame[0]!));
    await eventually(
      () => sentenceOf(publisher.health()).includes("1 of t: partition 0 fails"),
      "the trouble to be said",
    );
    // As a broker that waits for replicas: it answers no other request of that connection meanwhile.
    cluster.before = (batch) =>
      batch.some(({ partition }) => partition === lame) ? systemClock.sleep(350) : Promise.resolve();
    for (const key of others) {
      const startedAt = performance.now();
      await publish(key);
      expect(performance.now() - startedAt).toBeLessThan(300);
      expect(isUp(publisher.health())).toBe(true);
    }
    cluster.refusing.clear();
    cluster.before = () => Promise.resolve();
    expect(await stuck).toBe("written");
    expect(publisher.health()).toEqual({ kind: "up" });
    cluster.batches.length = 0;
    await Promise.all([...ofLame, ...others].map((key) => publish(key)));
    expect(cluster.batches.length, "one lane for all").toBe(1);
  });

  test("a broker is asked to answer for the others while that one lacks replicas", async () => {
    const world = setUp(3, { sendTimeoutMs: 8_000 });
    await split(world);
    expect(world.cluster.timeouts).toEqual([2_000]);
    world.cluster.refusing.set(lame, protocolError("REQUEST_TIMED_OUT"));
    const written = Promise.all(keys(30).map((key) => world.publish(key)));
    await eventually(() => world.cluster.timeouts.includes(4_000), "an attempt apart");
    world.cluster.refusing.clear();
    await written;
  });

  test("after a while one record goes on trying, and the others are rejected at once", async () => {
    let aheadMs = 0;
    const clock: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() + aheadMs };
    const world = setUp(3, {}, clock);
    const { cluster, publish, failure } = world;
    const { ofLame, others } = await split(world);
    cluster.refusing.set(lame, lack);
    const early = ofLame.map((key) => failure(publish(key)));
    await eventually(() => world.publisher.health().kind === "somePartitions", "the trouble");
    aheadMs = 3_000;
    expect(await Promise.all(early.slice(1))).toEqual(ofLame.slice(1).map(() => "timeout"));
    expect(await Promise.all(ofLame.map((key) => failure(publish(key))))).toEqual(
      ofLame.map(() => "unavailable"),
    );
    await Promise.all(others.map((key) => publish(key)));
    cluster.refusing.clear();
    expect(await early[0]).toBe("written");
    await Promise.all(ofLame.map((key) => publish(key)));
  });

  test("it is down when none takes records", async () => {
    const { cluster, publisher, failure, publish } = setUp(3);
    for (const partition of [0, 1, 2]) cluster.refusing.set(partition, lack);
    const all = keys(30).map((key) => failure(publish(key, 500)));
    await eventually(() => publisher.health().kind === "allPartitions", "to be down");
    await Promise.all(all);
  });

  test("a look-up over a connection to a broker that has died says nothing of Kafka", async () => {
    const { cluster, publish, publisher } = setUp(1, {}, systemClock, 1);
    await publish("first");
    cluster.died = new Error("it has died");
    cluster.before = () => (cluster.lookups === 1 ? Promise.reject(new Error("cut off")) : Promise.resolve());
    let isWritten = false;
    const next = publish("next").then(() => (isWritten = true));
    const details = new Set<string>();
    await eventually(() => {
      details.add(sentenceOf(publisher.health()));
      return isWritten;
    }, "the record to be written");
    await next;
    expect(cluster.lookups).toBe(2);
    expect([...details].join()).toContain("cut off");
    expect([...details]).not.toContain("it has died");
  });

  test("a leader that is frozen keeps no other one's records waiting", async () => {
    const { cluster, publish, publisher, failure } = setUp(2, { sendTimeoutMs: 400 });
    cluster.leaders = [1, 2];
    await Promise.all(keys(20).map((key) => publish(key)));
    const [frozen, fine] = [cluster.logs[0]![0]!, cluster.logs[1]![0]!];
    cluster.before = ([item]) => (item?.partition === 0 ? hangs() : Promise.resolve());
    const opened = cluster.opened;
    const late = failure(publish(frozen, 1_000));
    await eventually(() => cluster.opened > opened, "another connection for the frozen leader");
    const startedAt = performance.now();
    await publish(fine);
    expect(performance.now() - startedAt).toBeLessThan(300);
    expect(isUp(publisher.health())).toBe(true);
    expect(await late).toBe("timeout");
  });
});

describe("closing", () => {
  test("pending records are written first; afterwards none is accepted", async () => {
    const { cluster, publish, publisher, failure } = setUp();
    cluster.before = () => systemClock.sleep(30);
    const waiting = keys(20).map((key) => publish(key));
    const closing = publisher.close(LONG_MS);
    await Promise.all(waiting);
    await closing;
    expect(cluster.logs[0]).toEqual(keys(20));
    expect(await failure(publish("late"))).toBe("closed");
    expect(cluster.closed).toBe(cluster.opened);
  });

  test("records that cannot be written in time are rejected", async () => {
    const { cluster, publish, publisher, failure } = setUp();
    cluster.before = hangs;
    const stuck = failure(publish("stuck"));
    await publisher.close(50);
    expect(await stuck).toBe("closed");
  });
});
