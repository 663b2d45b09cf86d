import { expect, test, vi } from "vitest";
import type { Admin } from "kafkajs";
import { freePort } from "../../dev/cluster/ports.mjs";
import { sharedCluster } from "../support/cluster.ts";
import { askAdmin } from "../support/kafka.ts";
import { runProgram } from "../support/program.ts";
import { ownNames, serveSettings, toolSettings } from "../support/settings.ts";
import { openWorld } from "../support/world.ts";

const cluster = sharedCluster();
/** A missing schema is waited for; and the tests of this file run side by side. */
vi.setConfig({ testTimeout: 180_000 });
/** On ports that nobody else has: it is to end before it takes anything. */
const partner = {
  ...serveSettings,
  PARTNER_BASE_URL: "http://127.0.0.1:9",
  WEBHOOK_PORT: "0",
  MANAGEMENT_PORT: "0",
};

const withAdmin = <T>(ask: (admin: Admin) => Promise<T>): Promise<T> => askAdmin(cluster.kafkaBrokers, ask);
const topicsThatBegin = async (prefix: string): Promise<string[]> =>
  (await withAdmin((admin) => admin.listTopics())).filter((topic) => topic.startsWith(prefix)).sort();
const subjectsThatBegin = async (prefix: string): Promise<string[]> =>
  ((await (await fetch(`${cluster.schemaRegistryUrl}/subjects`)).json()) as string[])
    .filter((subject) => subject.startsWith(prefix))
    .sort();

test.concurrent("setup says what it would do, does it, and changes nothing the second time", async () => {
  const names = ownNames();
  const settings = { ...toolSettings(cluster, names), TOPIC_PARTITIONS: "2" };
  const prefix = names.groupId;

  const dry = await runProgram(["setup", "--dry-run"], settings);
  expect(dry).toMatchObject({ code: 0, err: "" });
  expect(dry.out.match(/would be created/g)).toHaveLength(7);
  expect(dry.out.match(/would be registered/g)).toHaveLength(4);
  expect(await topicsThatBegin(prefix)).toEqual([]);
  expect(await subjectsThatBegin(prefix)).toEqual([]);

  const first = await runProgram(["setup"], settings);
  expect(first).toMatchObject({ code: 0, err: "" });
  expect(first.out.match(/: created, 2 partitions, 1 replica, min.insync.replicas=1\n/g)).toHaveLength(5);
  expect(first.out.match(/: created, 1 partition, 1 replica, min.insync.replicas=1\n/g)).toHaveLength(2);
  const registered = [...first.out.matchAll(/schema (\S+): registered, id (\d+)/g)].map(([, name, id]) => [
    name,
    id,
  ]);
  expect(registered).toHaveLength(4);
  expect(await topicsThatBegin(prefix)).toEqual(Object.values(names.topics).sort());
  expect(await subjectsThatBegin(prefix)).toEqual(registered.map(([name]) => name).sort());

  const second = await runProgram(["setup"], settings);
  expect(second).toMatchObject({ code: 0, err: "" });
  expect(second.out.match(/already there/g)).toHaveLength(7);
  const again = [...second.out.matchAll(/schema (\S+): already registered, id (\d+)/g)];
  expect(again.map(([, name, id]) => [name, id])).toEqual(registered);
});

test.concurrent(
  "serve stops with a sentence for each topic and schema that is missing, and says what to run",
  async () => {
    const names = ownNames();
    const settings = toolSettings(cluster, names);
    // Whatever else runs on this machine.
    const ports = { WEBHOOK_PORT: String(await freePort()), MANAGEMENT_PORT: String(await freePort()) };
    const nothing = await runProgram(["serve"], { ...settings, ...partner, ...ports });
    expect(nothing.code).toBe(1);
    // The audit topic is for the tools alone.
    for (const topic of Object.values(names.topics).filter((name) => name !== names.topics.audit))
      expect(nothing.err).toMatch(new RegExp(`Topic ${topic} .*cambio-bridge setup`));

    await runProgram(["setup"], settings);
    const subject = `${names.topics.results}-value`;
    const url = `${cluster.schemaRegistryUrl}/subjects/${subject}`;
    await fetch(url, { method: "DELETE" });
    await fetch(`${url}?permanent=true`, { method: "DELETE" });
    const schemaless = await runProgram(["serve"], { ...settings, ...partner, ...ports });
    expect(schemaless.code).toBe(1);
    expect(schemaless.err.trim()).toMatch(new RegExp(`^Schema ${subject} .*cambio-bridge setup.*$`));
  },
);

test.concurrent(
  "setup refuses a schema that could not read what is there, and registers none then",
  async () => {
    const names = ownNames();
    const subject = `${names.topics.results}-value`;
    const theirs = { type: "record", name: "CommandResult", namespace: "cambio.bridge.v1", fields: [] };
    const registered = await fetch(`${cluster.schemaRegistryUrl}/subjects/${subject}/versions`, {
      method: "POST",
      headers: { "content-type": "application/vnd.schemaregistry.v1+json" },
      body: JSON.stringify({ schema: JSON.stringify(theirs) }),
    });
    expect(registered.status).toBe(200);
    const refused = await runProgram(["setup"], toolSettings(cluster, names));
    expect(refused.code).toBe(1);
    expect(refused.err.trim()).toMatch(new RegExp(`^Schema ${subject} cannot be registered: .*\\.$`));
    const versions = await fetch(`${cluster.schemaRegistryUrl}/subjects/${subject}/versions`);
    expect(await versions.json()).toHaveLength(1);
  },
);

test.concurrent(
  "what the brokers refuse is said in their own sentence for each topic, by a dry run too, and ends a start at once",
  async () => {
    const names = ownNames();
    const settings = { ...toolSettings(cluster, names), TOPIC_REPLICATION_FACTOR: "3" };
    const start = { ...settings, ...partner, SETUP_ON_START: "true" };
    const ends = [
      await runProgram(["setup"], settings),
      await runProgram(["setup", "--dry-run"], settings),
      // An outage is waited for, for a minute.
      await runProgram(["serve"], start, 30_000),
    ];
    for (const { code, err } of ends) {
      expect(code).toBe(1);
      expect(err).not.toContain("KAFKA_BROKERS");
      for (const topic of Object.values(names.topics))
        expect(err).toMatch(
          new RegExp(
            `^Topic ${topic} cannot .*3 replicas.* 3 time.*: set TOPIC_REPLICATION_FACTOR .*\\.$`,
            "m",
          ),
        );
    }
  },
);

test.concurrent("SETUP_ON_START runs it before serve", async ({ onTestFinished }) => {
  const world = await openWorld({ setUp: false });
  onTestFinished(world.close);
  const bridge = await world.startReady({ SETUP_ON_START: "true" });
  expect(await bridge.stop()).toBe(0);
  expect(await topicsThatBegin(world.groupId)).toEqual(Object.values(world.topics).sort());
});
