import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decode } from "../support/avro.ts";
import { clientOf } from "../support/kafka.ts";
import { eventually } from "../support/eventually.ts";
import type { Following, TopicRecord } from "../support/follow-topics.ts";
import type { Replica } from "../support/replica.ts";
import { serveSettings } from "../support/settings.ts";
import { openTestWorld, openWorld, type World } from "../support/world.ts";

const HOUR_MS = 3_600_000;
const SETTINGS = { FLOWS: "webhooks,reconcile", RECONCILE_MIN_AGE: "0", RECONCILE_EVERY: "1s" };

type Lost = { transactionId: string; status: string; createdAt: string };
type Report = { entries: number; known: number; published: number; result: string; reasons: string[] };

const decoded = ({ value }: TopicRecord) => decode("transaction-status-updated", value);
const nameOf = ({ transactionId, status }: Record<string, unknown>): string =>
  `${String(transactionId)} ${String(status)}`;

/** What the topic holds, checked: nothing twice. */
const eventsOf = (following: Following, topic: string) => {
  const all = following.of(topic).map(decoded);
  expect(new Set(all.map(nameOf)).size, "nothing is published twice").toBe(all.length);
  return all;
};

const put = async (world: World, rules: object): Promise<void> => {
  const answer = await fetch(`${world.sandboxUrl}/_sandbox/log`, {
    method: "PUT",
    body: JSON.stringify(rules),
  });
  expect(answer.status, await answer.text()).toBe(200);
};

const sentAll = (world: World): Promise<boolean> =>
  eventually(
    async () => {
      const { totals } = await world.sandbox<{ totals: { pending: number; delivered: number } }>(
        "/_sandbox/state?only=totals",
      );
      return totals.pending === 0;
    },
    "the webhooks to be sent",
    30_000,
  );

const daysAgo = (days: number): string => new Date(Date.now() - days * 24 * HOUR_MS).toISOString();

describe("a run by hand over a log of any form", () => {
  let world: World;
  let bridge: Replica;
  let following: Following;

  beforeAll(async () => {
    world = await openWorld({
      settings: { ...SETTINGS, FLOWS: "webhooks" },
      sandboxArgs: ["--retry", "500ms"],
    });
    bridge = await world.startReady();
    following = await world.follow([world.topics.events]);
  });
  afterAll(async () => {
    await bridge.stop();
    await world.close();
  });

  const reconcile = async (
    settings: Record<string, string>,
    ...more: string[]
  ): Promise<{ code: number | null; report: Report }> => {
    const days = ["--from", daysAgo(3).slice(0, 10), "--to", daysAgo(-1).slice(0, 10)];
    const { code, out, err } = await world.run(["reconcile", ...days, "--json", ...more], {
      ...serveSettings,
      RECONCILE_MIN_AGE: "0",
      ...settings,
    });
    if (out === "") throw new Error(err);
    return { code, report: JSON.parse(out) as Report };
  };

  test.each<[name: string, rules: object, settings?: Record<string, string>]>([
    ["plain, an end in the future refused", { refuse: "future-end" }],
    [
      "nested, newest first, cut with a hint",
      { answers: "nested", order: "newest", limit: 26, hint: "has-more" },
    ],
    ["attempts, other events mixed in", { answers: "attempts", ignore: "event-type", others: "mixed-in" }],
    [
      "other events, named by another member",
      { answers: "nested", ignore: "event-type", others: "mixed-in" },
      { PARTNER_LOG_EVENT_POINTER: "/event" },
    ],
    [
      "instants cut to seconds, days of UTC, the last one excluded",
      { createdAt: "iso-seconds", zone: "utc", end: "exclusive" },
    ],
    [
      "instants spelled otherwise, cut with a total",
      { createdAt: "epoch-millis", limit: 26, hint: "total" },
      { PARTNER_LOG_TOTAL_POINTERS: "/total" },
    ],
  ])("%s", async (_, rules, settings = {}) => {
    await world.sandbox("/_sandbox/reset", {});
    await put(world, {
      ...{ answers: "plain", createdAt: "same", zone: "sao-paulo", end: "inclusive", refuse: "nothing" },
      ...{ ignore: "nothing", others: "absent", order: "oldest", hint: "none", limit: 0 },
      ...rules,
    });
    const secretUrl = bridge.webhookUrl;
    const subscribed = await world.run(["subscribe", "--url", secretUrl], serveSettings);
    expect(subscribed.code, subscribed.err).toBe(0);
    expect(subscribed.out + subscribed.err).not.toContain("webhook-secret-of-the-test");

    const before = eventsOf(following, world.topics.events).length;
    const { lost } = await world.sandbox<{ lost: number }>("/_sandbox/log", {
      count: 30,
      from: daysAgo(2.6),
      to: daysAgo(0.2),
      lostShare: 0.3,
    });
    expect(lost).toBeGreaterThan(0);
    await following.until(world.topics.events, () => true, before + 30 - lost);
    await sentAll(world);

    const plan = await reconcile(settings, "--dry-run");
    expect(plan.report).toMatchObject({ known: 30 - lost, published: lost, result: "complete", reasons: [] });
    const { code, report } = await reconcile(settings);
    expect(report).toMatchObject({ known: 30 - lost, published: lost, result: "complete", reasons: [] });
    expect(code).toBe(0);
    await following.until(world.topics.events, () => true, before + 30);
    expect((await reconcile(settings)).report).toMatchObject({ known: 30, published: 0, result: "complete" });

    const events = eventsOf(following, world.topics.events).slice(before);
    expect(events).toHaveLength(30);
    expect(events.filter(({ source }) => source === "NOTIFICATION_LOG")).toHaveLength(lost);
  });
});

test("two replicas, one killed: every lost notification is published once, and soon", async () => {
  const world = await openTestWorld({ settings: SETTINGS, sandboxArgs: ["--retry", "500ms"] });
  const [first, second] = [await world.startReplica(), await world.startReplica()];
  await Promise.all([first.untilReady(), second.untilReady()]);
  const following = await world.follow([world.topics.events]);
  expect((await world.run(["subscribe", "--url", second.webhookUrl], serveSettings)).code).toBe(0);

  const past = { from: daysAgo(1), to: daysAgo(0.2), lostShare: 0.3 };
  type Made = { lost: number };
  const before = await world.sandbox<Made>("/_sandbox/log", { ...past, count: 200 });
  const leaderOf = async (): Promise<Replica | false> => {
    for (const replica of [first, second])
      if (await replica.hasMetric(/^cambio_bridge_reconcile_leader 1$/m)) return replica;
    return false;
  };
  const leader = await eventually(leaderOf, "a leader", 30_000);
  await leader.kill();
  const survivor = leader === first ? second : first;
  expect((await world.run(["subscribe", "--url", survivor.webhookUrl], serveSettings)).code).toBe(0);
  const after = await world.sandbox<Made>("/_sandbox/log", { ...past, count: 100 });

  const named = () => new Set(following.of(world.topics.events).map((record) => nameOf(decoded(record))));
  await eventually(() => named().size === 300, "an event of each notification", 30_000);
  const isComplete = () => survivor.hasMetric(/reconcile_runs_total\{result="complete"\} [1-9]/);
  await eventually(isComplete, "a complete run", 30_000);
  expect(await survivor.stop()).toBe(0);

  // One replica may publish from the log what the other one takes as a webhook meanwhile. Then both events have
  // the same eventId.
  const events = (await world.read(world.topics.events)).map(decoded);
  expect(new Set(events.map(nameOf)).size).toBe(300);
  expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(300);
  const { lost } = await world.sandbox<{ lost: { count: number; notifications: Lost[] } }>(
    "/_sandbox/state?only=lost",
  );
  // Also those that the killed replica did not take: the other one may have got them as webhooks.
  for (const { transactionId, status } of lost.notifications)
    expect(
      events.filter((event) => event.transactionId === transactionId && event.status === status),
      `${transactionId} ${status}`,
    ).toHaveLength(1);
  const fromLog = events.filter(({ source }) => source === "NOTIFICATION_LOG");
  expect(fromLog.length).toBeGreaterThanOrEqual(before.lost + after.lost);
}, 120_000);

/** Leaves a note in the election's group, as an earlier leader does. */
const leaveNote = async ({ brokers, groupId, topics }: World, note: object): Promise<void> => {
  const consumer = clientOf(brokers).consumer({ groupId: `${groupId}-reconcile` });
  // Right after it has joined, kafkajs neither commits nor leaves the group, and says nothing of it.
  const reads = new Promise((resolve) => consumer.on(consumer.events.FETCH_START, resolve));
  await consumer.connect();
  await consumer.subscribe({ topic: topics.events });
  await consumer.run({ autoCommit: false, eachMessage: () => Promise.resolve() });
  await reads;
  const metadata = JSON.stringify(note);
  await consumer.commitOffsets([{ topic: topics.events, partition: 0, offset: "0", metadata }]);
  await consumer.disconnect();
};

test("a new leader publishes what was lost since the last complete run of an earlier one", async () => {
  // Another run would count all of them as known.
  const settings = { ...SETTINGS, RECONCILE_EVERY: "10m" };
  const world = await openTestWorld({ settings, sandboxArgs: ["--retry", "500ms"] });
  await leaveNote(world, { completeAt: daysAgo(6), wholeAt: daysAgo(6) });
  await world.sandbox("/_sandbox/log", { from: daysAgo(5), to: daysAgo(4), lostShare: 1, count: 10 });
  const following = await world.follow([world.topics.events]);
  const replica = await world.startReady();
  await following.until(world.topics.events, () => true, 10);
  expect(eventsOf(following, world.topics.events)).toHaveLength(10);
  const counts = async (): Promise<Record<string, number>> => {
    const metrics = await replica.metrics();
    const lines = metrics.matchAll(/^cambio_bridge_reconcile_notifications_total\{kind="(\w+)"\} (\d+)$/gm);
    return Object.fromEntries([...lines].map(([, kind = "", count]) => [kind, Number(count)]));
  };
  const counted = await eventually(
    async () => {
      const seen = await counts();
      return seen["published"] === 10 && seen;
    },
    "the run to be counted",
    30_000,
  );
  expect(counted).toEqual({ known: 0, published: 10, held: 0, too_young: 0, unreadable: 0, other_type: 0 });
  expect(await replica.stop()).toBe(0);
});
