import { describe, expect, test } from "vitest";
import type { Cluster, FoundTopic } from "../../../../src/kafka/cluster/cluster.ts";
import { inspect } from "../../../../src/kafka/cluster/inspect.ts";
import type { Registry } from "../../../../src/kafka/schema/registry.ts";
import { setUp } from "../../../../src/kafka/cluster/setup.ts";
import { topicPlans, type TopicNames } from "../../../../src/kafka/cluster/topics.ts";

const DAY_MS = 86_400_000;
const names: TopicNames = {
  transactionStatus: "events",
  commands: "commands",
  results: "results",
  journal: "journal",
  deadLetters: "dead",
};
const roles = Object.keys(names) as (keyof TopicNames)[];

type Created = Parameters<Cluster["create"]>[0];

/** A cluster and a registry of paper. */
const paper = ({ defaultReplicas = 3, obstacle = null as string | null } = {}) => {
  const topics = new Map<string, FoundTopic>();
  const created: Created[] = [];
  const subjects = new Map<string, number>();
  const cluster: Cluster = {
    find: (wanted) =>
      Promise.resolve(
        new Map(wanted.flatMap((name) => (topics.has(name) ? [[name, topics.get(name)!]] : []))),
      ),
    ranges: () => Promise.resolve(new Map()),
    committed: () => Promise.resolve(new Map()),
    defaultReplicationFactor: () => Promise.resolve(defaultReplicas),
    create: (topic) => {
      created.push(topic);
      const { name, partitions, config } = topic;
      const replicationFactor = topic.replicationFactor > 0 ? topic.replicationFactor : defaultReplicas;
      topics.set(name, { name, partitions, replicationFactor, config });
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
  const registry: Registry = {
    find: (subject) => Promise.resolve(subjects.get(subject) ?? null),
    incompatibility: () => Promise.resolve(obstacle),
    register: (subject) => {
      subjects.set(subject, subjects.size + 1);
      return Promise.resolve(subjects.size);
    },
    writer: () => Promise.resolve(null),
  };
  const said: string[] = [];
  const run = (over: { dryRun?: boolean; replicationFactor?: number } = {}) =>
    setUp(
      { names, partitions: 6, replicationFactor: -1, dryRun: false, ...over },
      { cluster, registry, say: (line) => void said.push(line) },
    );
  const look = (used = roles) => inspect(names, used, { cluster, registry });
  /** Changes settings of a topic that is there. */
  const change = (name: string, config: Record<string, string>): void => {
    const topic = topics.get(name)!;
    topics.set(name, { ...topic, config: { ...topic.config, ...config } });
  };
  return { topics, created, subjects, said, run, look, change };
};

describe("the plan", () => {
  test.each([
    ["events", 30, "transaction-status-updated"],
    ["commands", 7, "command"],
    ["results", 30, "command-result"],
    ["journal", 14, "command-journal-entry"],
    ["dead", 30, null],
  ])("%s is kept %i days, and holds %s", (name, days, schema) => {
    const plan = topicPlans(names).find((each) => each.name === name);
    expect(plan?.schema).toBe(schema);
    expect(plan?.config).toMatchObject({
      "cleanup.policy": "delete",
      "unclean.leader.election.enable": "false",
      "retention.ms": String(days * DAY_MS),
    });
  });
});

describe("setup", () => {
  test("creates and registers what is missing, and nothing a second time", async () => {
    const { run, created, subjects, said } = paper();
    await run();
    expect(created.map(({ name }) => name).sort()).toEqual(Object.values(names).sort());
    expect([...subjects.keys()].sort()).toEqual([
      "commands-value",
      "events-value",
      "journal-value",
      "results-value",
    ]);
    said.length = 0;
    await run();
    expect(created).toHaveLength(5);
    expect(said).toHaveLength(9);
    for (const line of said) expect(line).toContain("already");
  });

  test("does nothing when it only says what it would do", async () => {
    const { run, created, subjects, said } = paper();
    await run({ dryRun: true });
    expect(created).toEqual([]);
    expect(subjects.size).toBe(0);
    expect(said.every((line) => line.includes("would be"))).toBe(true);
  });

  test.each([
    [3, -1, "2"],
    [5, -1, "2"],
    [1, 3, "2"],
    [3, 1, undefined],
    [2, -1, undefined],
    [1, -1, undefined],
  ])("%i replicas by default, %i asked for: min.insync.replicas %s", async (defaultReplicas, asked, min) => {
    const { run, created } = paper({ defaultReplicas });
    await run({ replicationFactor: asked });
    for (const { config, replicationFactor } of created) {
      expect(config["min.insync.replicas"]).toBe(min);
      expect(replicationFactor).toBe(asked);
    }
  });

  test("dead letters have room for the largest command and its headers", async () => {
    const { run, created, topics } = paper();
    const config = { "max.message.bytes": "5000000" };
    topics.set("commands", { name: "commands", partitions: 1, replicationFactor: 3, config });
    await run();
    const dead = created.find(({ name }) => name === "dead");
    expect(Number(dead?.config["max.message.bytes"])).toBeGreaterThan(5_000_000);
  });

  test("a schema that cannot read what is there is one sentence, and is not registered", async () => {
    const { run, subjects } = paper({ obstacle: "it does not read what schema 7 wrote" });
    await expect(run()).rejects.toThrow("Schema events-value cannot be registered: it does not read");
    expect(subjects.size).toBe(0);
  });
});

describe("what serve looks for", () => {
  test("after a setup with three replicas there is nothing to complain of", async () => {
    const { run, look } = paper();
    await run();
    const { problems, warnings, schemaIds } = await look();
    expect(problems).toEqual([]);
    expect(warnings).toEqual([]);
    expect(schemaIds.size).toBe(4);
  });

  test("each missing topic and schema is a sentence that names it and setup", async () => {
    const { look } = paper();
    const { problems } = await look();
    expect(problems).toHaveLength(9);
    for (const problem of problems) expect(problem).toMatch(/^(Topic|Schema) \S+ .*cambio-bridge setup.*\.$/);
  });

  test("only what is used is looked for", async () => {
    const { look } = paper();
    const { problems } = await look(["transactionStatus", "deadLetters"]);
    expect(problems.map((problem) => problem.split(" ")[1]).sort()).toEqual([
      "dead",
      "events",
      "events-value",
    ]);
  });

  test.each<[string, string, Record<string, string>, RegExp]>([
    ["compacted", "journal", { "cleanup.policy": "compact" }, /journal is compacted/],
    ["compacted as well", "journal", { "cleanup.policy": "compact,delete" }, /journal is compacted/],
    ["stamped by producers", "journal", { "message.timestamp.type": "CreateTime" }, /LogAppendTime/],
    [
      "kept for too short",
      "journal",
      { "retention.ms": String(14 * DAY_MS - 1) },
      /twice as long as commands/,
    ],
    ["outlived by commands", "commands", { "retention.ms": String(8 * DAY_MS) }, /twice as long as commands/],
    ["outlived by commands for ever", "commands", { "retention.ms": "-1" }, /twice as long as commands/],
    ["too small", "dead", { "max.message.bytes": "1000000" }, /dead takes smaller records than commands/],
  ])("a topic that is %s is a problem", async (_, name, config, message) => {
    const { run, look, change } = paper();
    await run();
    change("commands", { "max.message.bytes": "1048588" });
    change(name, config);
    const { problems } = await look();
    expect(problems).toEqual([expect.stringMatching(message)]);
  });

  test.each<[string, Record<string, string>]>([
    ["for ever", { "retention.ms": "-1" }],
    ["for just long enough", { "retention.ms": String(14 * DAY_MS) }],
  ])("a journal that is kept %s is fine", async (_, config) => {
    const { run, look, change } = paper();
    await run();
    change("journal", config);
    expect((await look()).problems).toEqual([]);
  });

  test("what cannot be described is not complained of", async () => {
    const { run, look, topics } = paper();
    await run();
    for (const [name, topic] of topics) topics.set(name, { ...topic, config: {} });
    expect((await look()).problems).toEqual([]);
  });

  test.each([
    ["fewer than three replicas", 1, {}],
    ["an acknowledgement by one", 3, { "min.insync.replicas": "1" }],
  ])("%s is a warning that names the topics", async (_, defaultReplicas, config) => {
    const { run, look, change } = paper({ defaultReplicas });
    await run();
    for (const name of Object.values(names)) change(name, config);
    const { problems, warnings } = await look();
    expect(problems).toEqual([]);
    expect(warnings).toHaveLength(1);
    for (const name of Object.values(names)) expect(warnings[0]).toContain(name);
  });
});
