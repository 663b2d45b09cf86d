import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Forbidden } from "../../src/operate/actor.ts";
import { readAudit } from "../../src/operate/audit/entry.ts";
import { replay } from "../../src/operate/dead-letters/replay.ts";
import { pauseOrResume, readPauses } from "../../src/operate/pause.ts";
import { recordsPerMinute } from "../../src/operate/rates.ts";
import { recentProposals } from "../../src/operate/resolve/proposal.ts";
import { confirm, resolve } from "../../src/operate/resolve/resolve.ts";
import { readStatus } from "../../src/operate/status.ts";
import { decode } from "../support/avro.ts";
import { toolServicesFor, person } from "../support/tools.ts";
import { AT_ONCE_MS, writeDoubts } from "../support/doubts.ts";
import { eventually } from "../support/eventually.ts";
import { endTotal, setTopicConfig } from "../support/kafka.ts";
import { serveSettings } from "../support/settings.ts";
import { openWorld, type World } from "../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const saying = (commandId: string, as: "succeeded" | "not-executed" = "succeeded") => ({
  ...{ commandId, quoteId: null, as, force: false, transactionId: null },
});
const resultsOf = async (commandId: string) =>
  (await world.read(world.topics.results)).filter(({ key }) => key === commandId);
const lastAudit = async (): Promise<Record<string, unknown>> => {
  const entries = await world.read(world.topics.audit);
  return (JSON.parse(String(entries.at(-1)?.value)) as { data: Record<string, unknown> }).data;
};

test("a viewer does nothing, and nothing is written, also not to the audit topic", async () => {
  const services = toolServicesFor(world);
  await writeDoubts(world, "seen", AT_ONCE_MS, randomUUID());
  const ends = (): Promise<number[]> =>
    Promise.all(Object.values(world.topics).map((topic) => endTotal(world.brokers, topic)));
  const before = await ends();
  const viewer = person("vic", "viewer");
  const asked = [
    resolve(services, viewer, saying("seen")),
    confirm(services, viewer, { ref: "0/0", as: "succeeded" }),
    pauseOrResume(services, viewer, { flow: "commands", says: "pause", end: null }),
    replay(services, viewer, {}, { planned: () => undefined, ended: () => undefined }),
  ];
  for (const each of asked) await expect(each).rejects.toThrow(Forbidden);
  await expect(resolve(services, person("ana", "operator", "  "), saying("seen"))).rejects.toThrow(
    "the name and the note must be there",
  );
  expect(await ends()).toEqual(before);
});

test("without its journal topic a resolve is refused, and not of an unknown end", async () => {
  const who = ["--as", "succeeded", "--by", "ana", "--note", "asked"];
  const { err } = await world.run(["resolve", "c-1", ...who], { TOPIC_COMMAND_JOURNAL: "nowhere" });
  expect(err).toContain("Topic nowhere does not exist");
  expect(await lastAudit()).toMatchObject({ action: "resolve", outcome: { kind: "refused" } });
});

test("of two people who say the opposite at once, one decides, and there is one final result", async () => {
  const services = toolServicesFor(world);
  await writeDoubts(world, "contested", AT_ONCE_MS, randomUUID());
  const both = await Promise.all([
    resolve(services, person("ana"), saying("contested", "succeeded")),
    resolve(services, person("bob"), saying("contested", "not-executed")),
  ]);
  expect(both.map(({ kind }) => kind).sort()).toEqual(["decided", "resolved"]);
  const results = (await resultsOf("contested")).map(({ value }) => decode("command-result", value));
  expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
  const won = both.find(({ kind }) => kind === "resolved");
  expect(won).toMatchObject({ result: results[0] });
  const asked = await resolve(services, person("cid"), saying("contested"));
  expect(asked).toMatchObject({ kind: "decided", result: results[0] });
});

describe("four eyes", () => {
  const propose = async (commandId: string, quoteId = randomUUID()) => {
    const services = toolServicesFor(world, { CONSOLE_FOUR_EYES: "true" });
    await writeDoubts(world, commandId, AT_ONCE_MS, quoteId);
    const proposed = await resolve(services, person("Ana Lima"), saying(commandId));
    if (proposed.kind !== "proposed") throw new Error(proposed.kind);
    return { services, ...proposed, quoteId };
  };

  test("one person proposes, which decides nothing; another one confirms, once", async () => {
    const { services, ref, place, quoteId } = await propose("two-people");
    expect(place).toBe(`${world.topics.audit}[0]@${ref.slice(2)}`);
    expect(await resultsOf("two-people")).toEqual([]);
    expect(await recentProposals(services)).toMatchObject([
      {
        ref,
        by: "Ana Lima",
        note: "asked the partner",
        request: { commandId: "two-people", as: "succeeded" },
      },
    ]);

    for (const spelling of ["Ana Lima", " ana  LIMA", "ＡＮＡ lima", "ana\u200b lima"]) {
      const same = confirm(services, person(spelling), { ref, as: "succeeded" });
      await expect(same).rejects.toThrow("Ana Lima proposed it, and another person must confirm it");
      expect(await lastAudit()).toMatchObject({ by: spelling, outcome: { kind: "refused" } });
    }
    const mistyped = confirm(services, person("bob"), { ref, as: "not-executed" });
    await expect(mistyped).rejects.toThrow(`${ref} proposes succeeded, which is not what was confirmed`);
    expect(await resultsOf("two-people")).toEqual([]);
    // Where people look first, it is said that somebody is waited for.
    for (const command of ["doubts", "status"]) {
      const { out, err } = await world.run([command]);
      expect(out + err).toMatch(
        new RegExp(`REF ${ref}: Ana Lima proposes that two-people \\(.+\\) was executed`),
      );
    }

    const both = await Promise.all(
      ["bob", "cid"].map((by) => confirm(services, person(by), { ref, as: "succeeded" })),
    );
    expect(both.map(({ outcome }) => outcome.kind).sort()).toEqual(["decided", "resolved"]);
    const results = await resultsOf("two-people");
    const [result] = results.map(({ value }) => decode("command-result", value));
    expect(new Set(results.map(({ value }) => String(value))).size).toBe(1);
    expect(result).toMatchObject({ outcome: "SUCCEEDED", final: true, quoteId, decidedBy: "OPERATOR" });
    expect((await world.run(["status"])).out).not.toContain(`REF ${ref}`);
    const again = await confirm(services, person("dan"), { ref, as: "succeeded" });
    expect(again.outcome).toMatchObject({
      kind: "decided",
      note: expect.stringMatching(/^Ana Lima, confirmed by (bob|cid): asked the partner$/) as string,
    });
  });

  test("what is no proposal is not confirmed, and neither is one of yesterday by Kafka's clock", async () => {
    const { services, ref } = await propose("yesterday");
    const request = `0/${Number(ref.slice(2)) - 1}`;
    for (const none of [request, "0/999999", "1/0", "x"])
      await expect(confirm(services, person("bob"), { ref: none, as: "succeeded" })).rejects.toThrow(
        `has no proposal ${none}`,
      );

    const { audit } = world.topics;
    const proposal = (await world.read(audit)).find(({ offset }) => `0/${offset}` === ref);
    await setTopicConfig(world.brokers, audit, { "message.timestamp.type": "CreateTime" });
    const timestamp = String(Date.now() - 25 * 3_600_000);
    // A broker goes by the new setting a moment later.
    const old = await eventually(async () => {
      await world.produce(audit, [{ key: null, value: proposal?.value ?? null, timestamp }]);
      return (await world.read(audit)).find(({ timestampMs }) => String(timestampMs) === timestamp) ?? false;
    }, "a proposal of yesterday");
    await setTopicConfig(world.brokers, audit, { "message.timestamp.type": "LogAppendTime" });
    const late = confirm(services, person("bob"), { ref: `0/${old.offset}`, as: "succeeded" });
    await expect(late).rejects.toThrow("is older than 24 hours");
    expect(await resultsOf("yesterday")).toEqual([]);
    expect((await confirm(services, person("bob"), { ref, as: "succeeded" })).outcome.kind).toBe("resolved");
  });
});

test("a pause of a duration ends by Kafka's clock, not by that of the operator's machine", async () => {
  const services = toolServicesFor(world);
  const ahead = { ...services, clock: { ...services.clock, now: () => Date.now() + 3_600_000 } };
  const before = Date.now();
  const { entry } = await pauseOrResume(ahead, person("ana"), {
    flow: "accepts",
    says: "pause",
    end: { forMs: 60_000 },
  });
  expect(entry.untilMs).toBeGreaterThan(before + 50_000);
  expect(entry.untilMs).toBeLessThan(Date.now() + 70_000);
  expect((await readPauses(services)).get("accepts")).toEqual(entry);
  const over = { flow: "accepts", says: "pause", end: { untilMs: before - 1 } } as const;
  await expect(pauseOrResume(services, person("ana"), over)).rejects.toThrow("by Kafka's clock it is");
  expect((await readPauses(services)).get("accepts")).toEqual(entry);
});

test("the audit has a row for each action, with what came of it", async () => {
  const all = await readAudit(toolServicesFor(world), 0);
  const ids = new Set(all.map(({ actionId }) => actionId));
  const entries = await world.read(world.topics.audit);
  const written = entries.map(({ value }) => JSON.parse(String(value)) as { data: { actionId: string } });
  expect(ids).toEqual(new Set(written.map(({ data }) => data.actionId)));
  expect(all.at(-1)).toMatchObject({
    action: "pause",
    subject: "accepts",
    by: "ana",
    from: "console, u, h, 10.0.0.1",
    outcome: { kind: "refused" },
  });
  const paused = all.find(({ action, outcome }) => action === "pause" && outcome?.kind === "done");
  expect(paused?.outcome?.text, "for people, not JSON").toMatch(/^record: \S+\[0\]@\d+(, until: 20\S+Z)?$/);
});

test("a reconcile run that a person forces stands in the audit topic, a dry one does not", async () => {
  const { audit } = world.topics;
  const day = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
  const args = ["reconcile", "--from", day, "--to", day, "--force"];
  const before = await endTotal(world.brokers, audit);
  expect(await world.run([...args, "--dry-run"], serveSettings)).toMatchObject({ code: 0 });
  expect(await endTotal(world.brokers, audit)).toBe(before);
  expect(await world.run(args, serveSettings)).toMatchObject({ code: 0 });
  expect(await endTotal(world.brokers, audit)).toBe(before + 2);
  expect(await lastAudit()).toMatchObject({
    action: "reconcile",
    note: "reconcile --force",
    outcome: { kind: "done", effect: { published: 0, result: "complete" } },
  });
});

test("the state of flows and the rates are known without reading a record", async () => {
  const services = toolServicesFor(world);
  await world.produce(world.topics.deadLetters, [{ key: "k", value: "v" }]);
  const known = await readStatus(services);
  expect(known).toMatchObject({
    commands: { members: [], lag: 0 },
    reconcile: { leader: null, lastCompleteAtMs: null },
    deadLetters: { records: 1, lastDay: 1 },
  });
  const withoutRegistry = await world.run(["status"], { SCHEMA_REGISTRY_URL: "http://127.0.0.1:1" });
  expect(withoutRegistry).toMatchObject({ code: 0, out: expect.stringContaining("1 dead letter") as string });
  expect(withoutRegistry.err).toContain("Doubts are not counted: SCHEMA_REGISTRY_URL");
  const rates = await recordsPerMinute(services);
  expect(rates.map(({ kind, perMinute }) => [kind, perMinute.length])).toEqual(
    ["events", "commands", "results", "dead letters"].map((of) => [of, 30]),
  );
});
