import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openActions } from "../../src/bridge/console/actions/actions.ts";
import { createServices } from "../../src/bridge/services.ts";
import { silent } from "../../src/cli/silent.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { Actor } from "../../src/operator/action.ts";
import { Forbidden } from "../../src/operator/forbidden.ts";
import type { ResolveRequest } from "../../src/operator/resolve-outcome.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { decode } from "../support/avro.ts";
import { sharedCluster } from "../support/cluster.ts";
import { AT_ONCE_MS, writeDoubts } from "../support/doubts.ts";
import { eventually } from "../support/eventually.ts";
import { readTopic } from "../support/follow-topics.ts";
import { produceRaw } from "../support/raw-records.ts";
import { toolSettings } from "../support/settings.ts";
import { openWorld, type World } from "../support/world.ts";

let world: World;
const warned: string[] = [];
const FOUR_EYES = { CONSOLE_FOUR_EYES: "true" };

beforeAll(async () => {
  world = await openWorld(sharedCluster());
});
afterAll(() => world.close());

const open = (settings: Record<string, string> = {}, clock = systemClock) => {
  const loaded = loadConfig({ ...toolSettings(sharedCluster(), world), ...settings }, "console");
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const services = createServices(loaded.config, clock, silent);
  const actions = openActions(loaded.config, services, { warn: (sentence) => void warned.push(sentence) });
  world.defer(async () => {
    await actions.close();
    services.close();
  });
  return actions;
};
const person = (by: string, role: Actor["role"] = "operator"): Actor => ({
  ...{ by, role, note: "asked the partner" },
  from: { host: "h", user: "u", program: "console" },
});
const [ana, ben, eve] = [person("ana"), person("ben"), person("eve", "viewer")];
const asking = (
  commandId: string,
  quoteId: string | null,
  as: ResolveRequest["as"] = "succeeded",
): ResolveRequest => ({
  ...{ commandId, quoteId, as, force: false },
});
const cli = (by: string, commandId: string, as: string) =>
  world.run(["resolve", commandId, "--by", by, "--note", "n", "--as", as], FOUR_EYES);

const audit = async () =>
  (await readTopic(world.brokers, world.topics.audit)).map(
    ({ value }) =>
      JSON.parse(String(value)) as {
        subject: string;
        data: { action: string; by: string; outcome?: { kind: string; effect?: Record<string, unknown> } };
      },
  );
const resultsOf = async (commandId: string) =>
  (await readTopic(world.brokers, world.topics.results))
    .filter(({ key }) => key === commandId)
    .map((record) => ({ ...record, result: decode("command-result", record.value) }));
const placeOf = ({ topic, partition, offset }: { topic: string; partition: number; offset: number }) =>
  `${topic}[${partition}]@${offset}`;

test("who may only look can do nothing, and nothing is written of it", async () => {
  const actions = open();
  await writeDoubts(world, "looked-at", AT_ONCE_MS, "q-looked-at");
  const before = await audit();
  await expect(actions.resolve(eve, asking("looked-at", "q-looked-at"))).rejects.toThrow(Forbidden);
  await expect(actions.pause(eve, "commands", null)).rejects.toThrow(Forbidden);
  await expect(actions.resume(eve, "commands")).rejects.toThrow(Forbidden);
  await expect(actions.plan(eve, { refs: ["0/0"] }, false)).rejects.toThrow(Forbidden);
  await expect(actions.replay(eve, "plan")).rejects.toThrow(Forbidden);
  expect(() => actions.cancel(eve, "run")).toThrow(Forbidden);
  expect(await audit()).toEqual(before);
  expect(await resultsOf("looked-at")).toEqual([]);
});

test("a doubt is ended once by two clicks, and it is said where the result stands", async () => {
  const actions = open();
  await writeDoubts(world, "clicked", AT_ONCE_MS, "q-clicked");
  const asked = asking("clicked", "q-clicked");
  const [first, second] = await Promise.all([actions.resolve(ana, asked), actions.resolve(ana, asked)]);
  expect(second).toBe(first);
  const [published, ...others] = await resultsOf("clicked");
  expect(others).toEqual([]);
  expect(published?.result).toMatchObject({ outcome: "SUCCEEDED", final: true, decidedBy: "OPERATOR" });
  expect(first).toMatchObject({ kind: "resolved", published: published && placeOf(published) });
  expect(await actions.resolve(ben, asked)).toMatchObject({ kind: "decided" });
  expect(await actions.proposals("clicked")).toEqual([]);
});

describe("with four eyes", () => {
  test("two people end a doubt, the second one on the command line, and one of them never does", async () => {
    const actions = open(FOUR_EYES);
    await writeDoubts(world, "both", AT_ONCE_MS, "q-both");
    expect(await actions.resolve(ana, asking("both", "Q-BOTH"))).toMatchObject({
      kind: "proposed",
      why: { kind: "alone" },
    });
    expect(await actions.proposals("both")).toMatchObject([
      { by: "ana", as: "succeeded", quoteId: "q-both" },
    ]);
    expect(await actions.resolve(ana, asking("both", null))).toMatchObject({ kind: "proposed" });
    const alone = await cli(" ANA ", "both", "succeeded");
    expect(alone).toMatchObject({ code: 3, out: "" });
    expect(alone.err).toContain("a second operator must say succeeded");
    expect(await resultsOf("both")).toEqual([]);

    const other = await cli("ben", "both", "succeeded");
    expect(other.code).toBe(0);
    expect(other.err).toMatch(/^Command both is ended: SUCCEEDED\. Durable at [^\n]+\n$/);
    expect((await resultsOf("both")).map(({ result }) => result["outcome"])).toEqual(["SUCCEEDED"]);
    const last = (await audit()).findLast(({ subject }) => subject === "both");
    expect(last?.data.outcome).toMatchObject({ kind: "done", effect: { confirms: { by: " ANA " } } });
    expect(await actions.proposals("both")).toEqual([]);
    expect(await actions.resolve(ana, asking("both", "q-both"))).toMatchObject({ kind: "decided" });
  });

  test("the command line's word counts in the console, and an opposite one stands in the way", async () => {
    const actions = open(FOUR_EYES);
    await writeDoubts(world, "opposed", AT_ONCE_MS, "q-opposed");
    expect(await cli("ana", "opposed", "succeeded")).toMatchObject({ code: 3 });
    expect(await actions.resolve(ben, asking("opposed", "q-opposed", "not-executed"))).toMatchObject({
      kind: "proposed",
      why: { kind: "opposed", by: "ana", as: "succeeded" },
    });
    expect((await actions.proposals("opposed")).map(({ by, as }) => [by, as])).toEqual([
      ["ana", "succeeded"],
      ["ben", "not-executed"],
    ]);
    const third = await cli("cyn", "opposed", "succeeded");
    expect(third.code).toBe(3);
    expect(third.err).toContain("ben says not-executed");
    expect(await resultsOf("opposed")).toEqual([]);
    expect(await actions.resolve(ben, asking("opposed", null, "succeeded"))).toMatchObject({
      kind: "resolved",
    });
    expect(await resultsOf("opposed")).toHaveLength(1);
  });

  test("of many who ask at once the first one proposes, and there is one final result", async () => {
    // Two decisions of the same millisecond would be the same bytes, and neither console the later one.
    const clocks = [0, 1, 2].map((minutes) => ({
      ...systemClock,
      now: () => systemClock.now() + minutes * 60_000,
    }));
    const consoles = clocks.map((clock) => open(FOUR_EYES, clock));
    await writeDoubts(world, "at-once", AT_ONCE_MS, "q-at-once");
    const ended = await Promise.all(
      consoles.map((actions, nth) =>
        actions.resolve(person(`operator-${nth}`), asking("at-once", "q-at-once")),
      ),
    );
    const kinds = ended.map(({ kind }) => kind);
    expect(kinds).toContain("resolved");
    expect(kinds.filter((kind) => kind === "resolved")).toHaveLength(1);
    const results = await resultsOf("at-once");
    expect(new Set(results.map(({ result }) => result["resultId"])).size).toBe(1);
    for (const { result } of results) expect(result).toMatchObject({ final: true, outcome: "SUCCEEDED" });
  });
});

const letters = async (count: number): Promise<void> => {
  const headers = (nth: number) =>
    Object.entries({
      reason: "UNREADABLE_COMMAND",
      detail: "neither JSON nor Avro",
      source: "command",
      topic: world.topics.commands,
      partition: "0",
      offset: String(nth),
      timestamp: String(Date.now()),
    }).map(([name, value]) => [Buffer.from(`dead-letter-${name}`), Buffer.from(value)] as const);
  await produceRaw(
    world.brokers,
    world.topics.deadLetters,
    Array.from({ length: count }, (_, nth) => ({
      key: Buffer.from(`k-${nth}`),
      value: Buffer.from(`letter ${randomUUID()}`),
      headers: headers(nth),
    })),
  );
};
const all = { reason: "UNREADABLE_COMMAND", sinceMs: null, untilMs: null };

test("dead letters are planned, sent once, and cancelled", async () => {
  const actions = open();
  await letters(60);
  const plan = await actions.plan(ana, all, false);
  expect(plan).toMatchObject({ sendCount: 60, skippedCount: 0 });
  expect(plan.send[0]).toMatchObject({
    topic: world.topics.commands,
    ref: expect.stringMatching(/^0\/\d+$/) as string,
  });
  const commands = () => readTopic(world.brokers, world.topics.commands);
  expect(await commands()).toEqual([]);
  await expect(actions.replay(ben, plan.planId)).rejects.toThrow("not known any more");

  const [run, again] = await Promise.all([
    actions.replay(ana, plan.planId),
    actions.replay(ana, plan.planId),
  ]);
  expect(again.runId).toBe(run.runId);
  await eventually(() => actions.run(run.runId)?.state === "done", "the run's end", 30_000);
  const done = actions.run(run.runId);
  expect(done).toMatchObject({ by: "ana", total: 60, sent: 60, left: 0, unknown: 0, detail: null });
  expect(done?.last).toHaveLength(50);
  const sent = await commands();
  expect(sent).toHaveLength(60);
  expect(sent.map(placeOf)).toContain(done?.last[0]?.text);
  expect((await actions.replay(ana, plan.planId)).runId).toBe(run.runId);
  expect(await actions.plan(ana, all, false)).toMatchObject({
    sendCount: 0,
    skippedCount: 60,
    skipped: expect.arrayContaining([expect.objectContaining({ why: "replayed before" })]) as unknown,
  });

  // Another person, another plan; it is cancelled on its way.
  await letters(400);
  const long = await actions.plan(ben, all, false);
  expect(long.sendCount).toBe(400);
  const { runId } = await actions.replay(ben, long.planId);
  await eventually(() => (actions.run(runId)?.sent ?? 0) > 0, "the first letters", 30_000);
  expect(actions.cancel(ana, runId)?.state).toBe("cancelling");
  await eventually(() => actions.run(runId)?.state === "done", "the cancelled run's end", 30_000);
  const cancelled = actions.run(runId);
  expect(cancelled?.detail).toContain("were not sent: cancelled");
  expect((cancelled?.sent ?? 0) + (cancelled?.left ?? 0)).toBe(400);
  expect(await commands()).toHaveLength(60 + (cancelled?.sent ?? 0));
  const claims = (await audit()).filter(({ data }) => data.action === "replay");
  // Each claim is concluded.
  expect(claims.filter(({ data }) => data.outcome).length).toBe(claims.length / 2);

  // A console that ends concludes what is under way.
  const rest = await actions.plan(ana, all, false);
  expect(rest.sendCount).toBe(cancelled?.left);
  const last = await actions.replay(ana, rest.planId);
  await eventually(() => (actions.run(last.runId)?.sent ?? 0) > 0, "the first letters", 30_000);
  await actions.close();
  expect(actions.run(last.runId)?.state).toBe("done");
  const ends = (await audit()).filter(({ data }) => data.action === "replay");
  expect(ends.filter(({ data }) => data.outcome).length).toBe(ends.length / 2);
  expect(await commands()).toHaveLength(60 + (cancelled?.sent ?? 0) + (actions.run(last.runId)?.sent ?? 0));
});

test("flows are paused and let go on, with the place of the word", async () => {
  const actions = open();
  const until = Date.now() + 600_000;
  const paused = await actions.pause(ana, "commands", until);
  expect(paused.before).toBeNull();
  await expect(actions.pause(ana, "commands", Date.now() - 1)).rejects.toThrow("over already");
  const resumed = await actions.resume(ben, "commands");
  expect(resumed.before).toMatchObject({ by: "ana", says: "pause", untilMs: until });
  const entries = await readTopic(world.brokers, world.topics.control);
  expect(entries.map(placeOf)).toEqual([paused.place, resumed.place]);
  expect(warned).toEqual([]);
});
