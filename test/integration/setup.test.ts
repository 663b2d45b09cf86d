import { expect, inject, test } from "vitest";
import kafkajs from "kafkajs";
import { basics, cli, serve, topicsOf } from "../support/bridge.ts";

const kafka = { KAFKA_BROKERS: inject("kafkaBrokers"), SCHEMA_REGISTRY_URL: inject("schemaRegistryUrl") };
const partner = { ...basics, PARTNER_BASE_URL: "http://127.0.0.1:9" };

const withAdmin = async <T>(ask: (admin: kafkajs.Admin) => Promise<T>): Promise<T> => {
  const admin = new kafkajs.Kafka({
    brokers: kafka.KAFKA_BROKERS.split(","),
    logLevel: kafkajs.logLevel.NOTHING,
  }).admin();
  await admin.connect();
  try {
    return await ask(admin);
  } finally {
    await admin.disconnect();
  }
};
const topicsThatBegin = async (prefix: string): Promise<string[]> =>
  (await withAdmin((admin) => admin.listTopics())).filter((topic) => topic.startsWith(prefix)).sort();
const subjectsThatBegin = async (prefix: string): Promise<string[]> =>
  ((await (await fetch(`${kafka.SCHEMA_REGISTRY_URL}/subjects`)).json()) as string[])
    .filter((subject) => subject.startsWith(prefix))
    .sort();

test("setup says what it would do, does it, and changes nothing the second time", async () => {
  const topics = topicsOf("setup");
  const env = { ...kafka, ...topics, TOPIC_PARTITIONS: "2" };
  const prefix = topics.KAFKA_GROUP_ID;

  const dry = await cli(["setup", "--dry-run"], env);
  expect(dry).toMatchObject({ code: 0, err: "" });
  expect(dry.out.match(/would be created/g)).toHaveLength(5);
  expect(dry.out.match(/would be registered/g)).toHaveLength(4);
  expect(await topicsThatBegin(prefix)).toEqual([]);
  expect(await subjectsThatBegin(prefix)).toEqual([]);

  const first = await cli(["setup"], env);
  expect(first).toMatchObject({ code: 0, err: "" });
  expect(first.out.match(/: created, 2 partitions, 1 replicas/g)).toHaveLength(5);
  const registered = [...first.out.matchAll(/schema (\S+): registered, id (\d+)/g)].map(([, name, id]) => [
    name,
    id,
  ]);
  expect(registered).toHaveLength(4);
  expect(await topicsThatBegin(prefix)).toEqual(
    Object.values(topics)
      .filter((name) => name !== prefix)
      .sort(),
  );
  expect(await subjectsThatBegin(prefix)).toEqual(registered.map(([name]) => name).sort());

  const second = await cli(["setup"], env);
  expect(second).toMatchObject({ code: 0, err: "" });
  expect(second.out.match(/already there/g)).toHaveLength(5);
  const again = [...second.out.matchAll(/schema (\S+): already registered, id (\d+)/g)];
  expect(again.map(([, name, id]) => [name, id])).toEqual(registered);
});

test("topics get the settings that the promises rest on", async () => {
  const topics = topicsOf("settings");
  await cli(["setup"], { ...kafka, ...topics });
  const day = 86_400_000;
  const kept = {
    [topics.TOPIC_TRANSACTION_STATUS]: 30 * day,
    [topics.TOPIC_COMMANDS]: 7 * day,
    [topics.TOPIC_COMMAND_RESULTS]: 30 * day,
    [topics.TOPIC_COMMAND_JOURNAL]: 14 * day,
    [topics.TOPIC_DEAD_LETTERS]: 30 * day,
  };
  const { resources } = await withAdmin((admin) =>
    admin.describeConfigs({
      includeSynonyms: false,
      resources: Object.keys(kept).map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name })),
    }),
  );
  const settings = new Map(
    resources.map(({ resourceName, configEntries }) => [
      resourceName,
      Object.fromEntries(configEntries.map(({ configName, configValue }) => [configName, configValue])),
    ]),
  );
  for (const [topic, retention] of Object.entries(kept)) {
    expect(settings.get(topic), topic).toMatchObject({
      "cleanup.policy": "delete",
      "unclean.leader.election.enable": "false",
      "retention.ms": String(retention),
    });
  }
  expect(settings.get(topics.TOPIC_COMMAND_JOURNAL)).toMatchObject({
    "message.timestamp.type": "LogAppendTime",
  });
  const most = (topic: string): number => Number(settings.get(topic)?.["max.message.bytes"]);
  expect(most(topics.TOPIC_DEAD_LETTERS)).toBeGreaterThan(most(topics.TOPIC_COMMANDS));
});

test("serve stops with a sentence for each topic and schema that is missing, and says what to run", async () => {
  const topics = topicsOf("missing");
  const nothing = await cli(["serve"], { ...kafka, ...topics, ...partner });
  expect(nothing.code).toBe(1);
  for (const topic of Object.values(topics).filter((name) => name !== topics.KAFKA_GROUP_ID))
    expect(nothing.err).toMatch(new RegExp(`Topic ${topic} .*cambio-bridge setup`));

  await cli(["setup"], { ...kafka, ...topics });
  const subject = `${topics.TOPIC_COMMAND_RESULTS}-value`;
  const url = `${kafka.SCHEMA_REGISTRY_URL}/subjects/${subject}`;
  await fetch(url, { method: "DELETE" });
  await fetch(`${url}?permanent=true`, { method: "DELETE" });
  const schemaless = await cli(["serve"], { ...kafka, ...topics, ...partner });
  expect(schemaless.code).toBe(1);
  expect(schemaless.err.trim()).toMatch(new RegExp(`^Schema ${subject} .*cambio-bridge setup.*$`));
});

test("setup refuses a schema that could not read what is there, and registers none then", async () => {
  const topics = topicsOf("incompatible");
  const subject = `${topics.TOPIC_COMMAND_RESULTS}-value`;
  const theirs = { type: "record", name: "CommandResult", namespace: "cambio.bridge.v1", fields: [] };
  const registered = await fetch(`${kafka.SCHEMA_REGISTRY_URL}/subjects/${subject}/versions`, {
    method: "POST",
    headers: { "content-type": "application/vnd.schemaregistry.v1+json" },
    body: JSON.stringify({ schema: JSON.stringify(theirs) }),
  });
  expect(registered.status).toBe(200);
  const refused = await cli(["setup"], { ...kafka, ...topics });
  expect(refused.code).toBe(1);
  expect(refused.err.trim()).toMatch(new RegExp(`^Schema ${subject} cannot be registered: .*\\.$`));
  const versions = await fetch(`${kafka.SCHEMA_REGISTRY_URL}/subjects/${subject}/versions`);
  expect(await versions.json()).toHaveLength(1);
});

test("SETUP_ON_START runs it before serve", async () => {
  const topics = topicsOf("on-start");
  const bridge = await serve({ ...kafka, ...topics, ...partner, SETUP_ON_START: "true" });
  expect(await bridge.stop()).toBe(0);
  expect(await topicsThatBegin(topics.KAFKA_GROUP_ID)).toHaveLength(5);
});

test("wrong configuration: exit 2, every problem at once, on stderr, no secret", async () => {
  const ended = await cli(["serve"], {
    ...kafka,
    PARTNER_BASE_URL: "ftp://partner",
    PARTNER_ACCESS_TOKEN: "access\nsecret-value",
    PARTNER_TOKEN: "secret-value",
    WEBHOOK_AUTH: "standard-webhooks",
    WEBHOOK_SECRET: "not base64: secret-value",
    FLOWS: "webhooks,commands",
    WEBHOOK_PORT: "tcp://10.0.0.1:80",
    COMMANDS_MAX_AGE: "old",
  });
  expect(ended).toMatchObject({ code: 2, out: "" });
  for (const variable of [
    "PARTNER_BASE_URL",
    "PARTNER_ACCESS_TOKEN",
    "PARTNER_X_TOKEN",
    "PARTNER_NAME",
    "PARTNER_TOKEN",
    "WEBHOOK_SECRET",
    "WEBHOOK_PORT",
    "COMMANDS_MAX_AGE",
  ])
    expect(ended.err).toMatch(new RegExp(`^ +${variable} `, "m"));
  expect(ended.err).not.toContain("secret-value");
  expect(ended.err).not.toMatch(/^ +at /m);
});

test.each([
  [["nonsense"], 2],
  [["send", "accept-quote"], 2],
  [["watch", "nothing"], 2],
  [["setup", "--dry"], 2],
  [["--help"], 0],
  [["serve", "--help"], 0],
])("%j exits %i", async (args, code) => {
  const ended = await cli(args, kafka);
  expect(ended.code).toBe(code);
  expect(code === 0 ? ended.out : ended.err).toMatch(/help|Usage/);
  expect(ended.err).not.toMatch(/^ +at /m);
});

test("a Kafka that is not there is one sentence for a tool", async () => {
  const ended = await cli(["setup"], { ...kafka, KAFKA_BROKERS: "127.0.0.1:1" });
  expect(ended.code).toBe(1);
  expect(ended.err.trim()).toMatch(/^[^\n]*KAFKA_BROKERS[^\n]*\.$/);
});

test("a registry that is not there is one sentence for a tool", async () => {
  const url = "http://127.0.0.1:1/apis";
  const ended = await cli(["setup"], { ...kafka, ...topicsOf("registryless"), SCHEMA_REGISTRY_URL: url });
  expect(ended.code).toBe(1);
  expect(ended.err.trim()).toMatch(
    new RegExp(`^SCHEMA_REGISTRY_URL \\(${url}\\)[^\\n]*ECONNREFUSED[^\\n]*\\.$`),
  );
});
