import { expect, onTestFinished, test } from "vitest";
import { sharedCluster } from "../support/cluster.ts";
import { eventually } from "../support/eventually.ts";
import { askAdmin, endTotal, setTopicConfig } from "../support/kafka.ts";
import { serveSettings, type Settings } from "../support/settings.ts";
import { openWorld, type World } from "../support/world.ts";

const cluster = sharedCluster();

type Said = { group: string; name: string; status: string; detail: string; remedy: string | null };

const examine = async (world: World, over: Settings = {}, ...args: string[]) => {
  const settings = { ...serveSettings, WEBHOOK_PORT: "0", MANAGEMENT_PORT: "0", ...over };
  const { code, out, err } = await world.run(["doctor", "--json", ...args], settings);
  expect(err).toBe("");
  const { checks } = JSON.parse(out) as { checks: Said[] };
  const lines = checks.map(
    ({ status, group, name, detail, remedy }) => `${status} ${group} ${name}: ${detail}: ${remedy ?? ""}`,
  );
  return { code, lines, failed: lines.filter((line) => line.startsWith("fail ")) };
};

/** What the topics hold, and which groups there are. */
const traces = async ({ brokers, topics, groupId }: World) => {
  const ends = await Promise.all(Object.values(topics).map((topic) => endTotal(brokers, topic)));
  const { groups } = await askAdmin(brokers, (admin) => admin.listGroups());
  return {
    ends,
    groups: groups
      .map((group) => group.groupId)
      .filter((id) => id.startsWith(groupId))
      .sort(),
  };
};

test("everything in order, beside a bridge that runs: no failure, and nothing is left behind", async () => {
  const world = await openWorld(cluster);
  onTestFinished(world.close);
  const bridge = await world.startReplica();
  await bridge.untilReady();
  // Only then it is in all its groups.
  const leads = async (): Promise<boolean> => {
    const metrics = await (await fetch(`${bridge.managementUrl}/metrics`)).text();
    return /^cambio_bridge_reconcile_leader 1$/m.test(metrics);
  };
  await eventually(leads, "the bridge to lead", 30_000);
  const before = await traces(world);
  const ports = {
    WEBHOOK_PORT: new URL(bridge.webhookUrl).port,
    MANAGEMENT_PORT: new URL(bridge.managementUrl).port,
  };
  const { code, lines, failed } = await examine(world, ports, "--webhook-url", bridge.webhookUrl);
  expect(failed).toEqual([]);
  expect(code).toBe(0);
  for (const said of [
    /^ok settings /,
    /^ok kafka broker .*: answers/,
    /^ok rights /,
    /^warn topics topics: .*fewer than 3 replicas/,
    /^ok schemas schemas: all 4 are registered/,
    /^ok partner partner's tokens/,
    /^ok partner clock against the partner's: they agree/,
    /^ok ports WEBHOOK_PORT \d+: a bridge that runs here/,
    /^ok webhook .*: answers from outside, and 404 without a signature/,
  ])
    expect(
      lines.filter((line) => said.test(line)),
      String(said),
    ).toHaveLength(1);
  expect(await traces(world)).toEqual(before);
});

test("WEBHOOK_AUTH=hmac: a bridge that runs answers 401", async () => {
  const settings = { WEBHOOK_AUTH: "hmac", WEBHOOK_SIGNATURE_HEADER: "x-signature", FLOWS: "webhooks" };
  const world = await openWorld(cluster, { settings });
  onTestFinished(world.close);
  const bridge = await world.startReplica();
  await bridge.untilReady();
  const WEBHOOK_PUBLIC_URL = `${new URL(bridge.webhookUrl).origin}/webhooks/transaction-status`;
  const { lines } = await examine(world, { ...settings, WEBHOOK_PUBLIC_URL });
  expect(lines.filter((line) => /^ok webhook .* and 401 without a signature/.test(line))).toHaveLength(1);
});

test("topics, schemas and tokens that are wrong are each named, with what to do", async () => {
  const world = await openWorld(cluster);
  onTestFinished(world.close);
  const { brokers, topics } = world;
  await askAdmin(brokers, (admin) => admin.deleteTopics({ topics: [topics.results, topics.audit] }));
  await setTopicConfig(brokers, topics.journal, {
    "cleanup.policy": "compact",
    "message.timestamp.type": "CreateTime",
    "retention.ms": "86400000",
    "retention.bytes": "1000000",
    "unclean.leader.election.enable": "true",
  });
  await setTopicConfig(brokers, topics.events, { "max.message.bytes": "1000", "retention.ms": "3600000" });
  await setTopicConfig(brokers, topics.commands, { "cleanup.policy": "compact" });
  await setTopicConfig(brokers, topics.deadLetters, { "retention.bytes": "1000000" });
  const theirs = {
    type: "record",
    name: "Other",
    namespace: "somebody",
    fields: [{ name: "x", type: "int" }],
  };
  const asJson = { "content-type": "application/vnd.schemaregistry.v1+json" };
  await fetch(`${cluster.schemaRegistryUrl}/config/${topics.journal}-value`, {
    method: "PUT",
    headers: asJson,
    body: JSON.stringify({ compatibility: "NONE" }),
  });
  const register = (topic: string) =>
    fetch(`${cluster.schemaRegistryUrl}/subjects/${topic}-value/versions`, {
      method: "POST",
      headers: asJson,
      body: JSON.stringify({ schema: JSON.stringify(theirs) }),
    });
  await fetch(`${cluster.schemaRegistryUrl}/subjects/${topics.commands}-value`, { method: "DELETE" });
  await register(topics.commands);
  await register(topics.journal);
  await fetch(`${cluster.schemaRegistryUrl}/subjects/${topics.events}-value`, { method: "DELETE" });
  const { code, lines } = await examine(world, { PARTNER_ACCESS_TOKEN: "a-wrong-one" });
  expect(code).toBe(1);
  for (const said of [
    `fail schemas schema ${topics.journal}-value: the newest version there is another program's`,
    `fail topics topic ${topics.results}: .*does not exist: run .cambio-bridge setup`,
    `fail topics topic ${topics.audit}: .*does not exist: run .cambio-bridge setup`,
    `fail topics topic ${topics.journal}: .*is compacted.*: set cleanup.policy=delete`,
    `fail topics topic ${topics.journal}: .*message.timestamp.type=LogAppendTime`,
    `fail topics topic ${topics.journal}: .*less than twice as long.*: raise its retention.ms`,
    `fail topics topic ${topics.journal}: .*limited in size.*: set retention.bytes=-1`,
    `fail topics topic ${topics.journal}: .*: set unclean.leader.election.enable=false`,
    `fail topics topic ${topics.events}: .*: set max.message.bytes=131072 or more`,
    `warn topics topic ${topics.events}: .*: set retention.ms=345600000 or more`,
    `warn topics topic ${topics.deadLetters}: .*limited in size.*: set retention.bytes=-1`,
    `warn topics topic ${topics.commands}: .*compacted.*: set cleanup.policy=delete`,
    `fail schemas schema ${topics.commands}-value: another schema is registered there`,
    `fail schemas schema ${topics.events}-value: the registry does not know it.*: run .cambio-bridge setup`,
    "fail partner partner's tokens: the partner answers 401.*PARTNER_ACCESS_TOKEN",
  ])
    expect(
      lines.filter((line) => new RegExp(`^${said}`).test(line)),
      `${said}\n${lines.join("\n")}`,
    ).toHaveLength(1);
});

test("an audit topic that cannot say what was done, and in which order, is named", async () => {
  const world = await openWorld(cluster);
  onTestFinished(world.close);
  const { brokers, topics } = world;
  const audit = async (settings: Settings) => {
    await setTopicConfig(brokers, topics.audit, settings);
    const { code, lines } = await examine(world);
    return { code, lines: lines.filter((line) => line.includes(`topics topic ${topics.audit}: `)) };
  };
  const kept = await audit({ "retention.ms": "86400000" });
  expect(kept.code).toBe(0);
  expect(kept.lines).toEqual([expect.stringMatching(/^warn .*replayed twice: raise its retention\.ms$/)]);
  const wrong = await audit({
    "retention.ms": "-1",
    "cleanup.policy": "compact",
    "message.timestamp.type": "CreateTime",
  });
  expect(wrong.code).toBe(1);
  expect(wrong.lines).toEqual([
    expect.stringMatching(/^fail .*is compacted.*: set cleanup\.policy=delete$/),
    expect.stringMatching(/^fail .*: set message\.timestamp\.type=LogAppendTime$/),
  ]);
});
