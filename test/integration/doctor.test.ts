import { expect, test } from "vitest";
import { sharedCluster } from "../support/cluster.ts";
import { examine } from "../support/doctor.ts";
import { eventually } from "../support/eventually.ts";
import { askAdmin, endTotal, setTopicConfig } from "../support/kafka.ts";
import { openTestWorld, type World } from "../support/world.ts";

const cluster = sharedCluster();

/** What the topics hold, and which groups there are. */
const traces = async ({ brokers, topics, groupId }: World) => {
  const ends = await Promise.all(Object.values(topics).map((topic) => endTotal(brokers, topic)));
  const { groups } = await askAdmin(brokers, (admin) => admin.listGroups());
  const ids = groups.map((group) => group.groupId).filter((id) => id.startsWith(groupId));
  return { ends, groups: ids.sort() };
};

test("everything in order, beside a bridge that runs: no failure, and nothing is left behind", async () => {
  const world = await openTestWorld();
  const bridge = await world.startReady();
  // Only then it is in all its groups.
  await eventually(
    () => bridge.hasMetric(/^cambio_bridge_reconcile_leader 1$/m),
    "the bridge to lead",
    30_000,
  );
  const before = await traces(world);
  const { code, lines, failed } = await examine(world, {
    WEBHOOK_PUBLIC_URL: `${new URL(bridge.webhookUrl).origin}/webhooks/transaction-status`,
  });
  expect(failed).toEqual([]);
  expect(code).toBe(0);
  for (const said of [
    /^ok settings /,
    /^ok kafka broker .*: answers/,
    /^ok rights /,
    /^warn topics topics: .*fewer than 3 replicas/,
    /^ok schemas registry .*: answers/,
    /^ok partner partner's tokens/,
    /^ok partner clock against the partner's: they agree/,
    /^ok webhook .*: answers 404 without a signature/,
  ])
    expect(
      lines.filter((line) => said.test(line)),
      String(said),
    ).toHaveLength(1);
  expect(await traces(world)).toEqual(before);
});

test("topics and schemas that are wrong are each named, with what to do", async () => {
  const world = await openTestWorld();
  const { brokers, topics } = world;
  await askAdmin(brokers, (admin) => admin.deleteTopics({ topics: [topics.results] }));
  await setTopicConfig(brokers, topics.journal, { "cleanup.policy": "compact", "retention.ms": "86400000" });
  const subject = (topic: string): string => `${cluster.schemaRegistryUrl}/subjects/${topic}-value`;
  const send = (method: string, url: string, body: unknown): Promise<Response> => {
    const headers = { "content-type": "application/vnd.schemaregistry.v1+json" };
    return fetch(url, { method, headers, body: JSON.stringify(body) });
  };
  const theirs = { type: "record", name: "Other", fields: [{ name: "x", type: "int" }] };
  const register = (topic: string): Promise<Response> =>
    send("POST", `${subject(topic)}/versions`, { schema: JSON.stringify(theirs) });
  // Of the journal the newest is another program's, of the commands the only one; of the events there is none.
  const config = `${cluster.schemaRegistryUrl}/config/${topics.journal}-value`;
  await send("PUT", config, { compatibility: "NONE" });
  await register(topics.journal);
  for (const topic of [topics.commands, topics.events]) await fetch(subject(topic), { method: "DELETE" });
  await register(topics.commands);
  const { code, lines } = await examine(world);
  expect(code).toBe(1);
  for (const said of [
    `fail topics topic ${topics.results}: .*does not exist: run .cambio-bridge setup`,
    `fail topics topic ${topics.journal}: .*is compacted.*: set cleanup.policy=delete`,
    `fail topics topic ${topics.journal}: .*less than twice as long.*: raise its retention.ms`,
    `fail schemas schema ${topics.journal}-value: the newest version there is another program's`,
    `fail schemas schema ${topics.commands}-value: the newest version there is another program's`,
    `fail schemas schema ${topics.events}-value: the registry does not know it.*: run .cambio-bridge setup`,
  ])
    expect(
      lines.filter((line) => new RegExp(`^${said}`).test(line)),
      `${said}\n${lines.join("\n")}`,
    ).toHaveLength(1);
}, 60_000);
