import { describe, expect, test } from "vitest";
import type { FoundTopic } from "../../../../src/kafka/cluster/cluster.ts";
import { inspect } from "../../../../src/kafka/cluster/inspect.ts";
import { setUp, type SetupPorts } from "../../../../src/kafka/cluster/setup.ts";
import { type LargestRecord, type TopicNames } from "../../../../src/kafka/cluster/topics.ts";
import { errorOfCode } from "../../../../src/kafka/errors.ts";
import { RegistryError } from "../../../../src/kafka/schema/registry-http.ts";
import { UsageError } from "../../../../src/runtime/errors.ts";

const DAY_MS = 86_400_000;
const names: TopicNames = {
  transactionStatus: "events",
  commands: "commands",
  results: "results",
  journal: "journal",
  deadLetters: "dead",
  audit: "audit",
  control: "control",
};
const roles = Object.keys(names) as (keyof TopicNames)[];

type Created = Parameters<SetupPorts["cluster"]["create"]>[0];

/** A fake cluster and registry. */
const paper = ({
  defaultReplicas = 3,
  brokerConfig = {},
  room = [],
}: {
  defaultReplicas?: number | null;
  brokerConfig?: Record<string, string>;
  room?: LargestRecord[];
} = {}) => {
  const topics = new Map<string, FoundTopic>();
  const created: Created[] = [];
  const subjects = new Map<string, number>();
  const cluster: SetupPorts["cluster"] = {
    find: (wanted) => Promise.resolve(new Map([...topics].filter(([name]) => wanted.includes(name)))),
    defaultReplicationFactor: () => Promise.resolve(defaultReplicas),
    create: (topic) => {
      created.push(topic);
      const replicationFactor =
        topic.replicationFactor > 0 ? topic.replicationFactor : (defaultReplicas ?? 3);
      const config = { ...brokerConfig, ...topic.config };
      topics.set(topic.name, { ...topic, replicationFactor, config, states: [] });
      return Promise.resolve();
    },
  };
  const registry: SetupPorts["registry"] = {
    find: (subject) => Promise.resolve(subjects.get(subject) ?? null),
    incompatibility: () => Promise.resolve(null),
    register: (subject) => {
      subjects.set(subject, subjects.size + 1);
      return Promise.resolve(subjects.size);
    },
  };
  const said: string[] = [];
  const run = (over: { replicationFactor?: number } = {}, stopped?: AbortSignal) =>
    setUp(
      { names, partitions: 6, replicationFactor: -1, dryRun: false, ...over },
      { cluster, registry, say: (line) => void said.push(line), ...(stopped && { stopped }) },
    );
  const look = (used = roles, lookbackMs: number | null = null) =>
    inspect({ names, used, largestRecords: room, lookbackMs }, { cluster, registry });
  /** Changes settings of a topic that is there. */
  const change = (name: string, config: Record<string, string>): void => {
    const topic = topics.get(name)!;
    topics.set(name, { ...topic, config: { ...topic.config, ...config } });
  };
  return { topics, created, subjects, said, run, look, change, cluster, registry };
};

/** After a setup. */
const ready = async (...options: Parameters<typeof paper>) => {
  const world = paper(...options);
  await world.run();
  return world;
};

test("an interrupted setup creates nothing more, and says what it has created", async () => {
  const { run, cluster, created, said } = paper();
  const stopped = new AbortController();
  const create = cluster.create.bind(cluster);
  cluster.create = (topic) => {
    if (created.length === 2) stopped.abort(new Error("received SIGINT"));
    return create(topic);
  };
  await expect(run({}, stopped.signal)).rejects.toThrow(
    "Setup did not finish: received SIGINT. It can be run again.",
  );
  expect({ created: created.length, said: said.length }).toEqual({ created: 3, said: 3 });
});

describe("setup", () => {
  test("warns of a journal that is created where other topics are, and of no other topic", async () => {
    const { run, topics, said } = await ready();
    topics.delete("events");
    await run();
    expect(said.join()).not.toContain("Caution");
    topics.delete("journal");
    await run();
    expect(said.filter((line) => line.startsWith("Caution"))).toEqual([
      expect.stringContaining("topic journal is missing"),
    ]);
  });

  test.each([
    [3, -1, "2"],
    [5, -1, "2"],
    [1, 3, "2"],
    [3, 1, "1"],
    [2, -1, undefined],
    [1, -1, "1"],
  ])("%i replicas by default, %i asked for: min.insync.replicas %s", async (defaultReplicas, asked, min) => {
    const { run, created } = paper({ defaultReplicas });
    await run({ replicationFactor: asked });
    for (const { config, replicationFactor } of created) {
      expect(config["min.insync.replicas"]).toBe(min);
      expect(replicationFactor).toBe(asked);
    }
  });

  test("creates nothing where nobody says how many replicas topics get", async () => {
    const { run, created, topics } = paper({ defaultReplicas: null });
    await expect(run()).rejects.toThrow(
      /^The brokers' default.replication.factor cannot be read, .*: set TOPIC_REPLICATION_FACTOR, .*\.$/,
    );
    expect(created).toEqual([]);
    await run({ replicationFactor: 3 });
    expect(created.map(({ config }) => config["min.insync.replicas"])).toEqual(Array(7).fill("2"));
    // Nothing is created: the number does not matter.
    await run();
    topics.delete("results");
    await expect(run()).rejects.toThrow("TOPIC_REPLICATION_FACTOR");
  });

  test.each([
    ["that is there", { "max.message.bytes": "5000000" }, 5_065_536],
    ["that is new, with the broker's default", null, 3_065_536],
  ])("dead letters have room for the largest command of a topic %s", async (_, config, bytes) => {
    const { run, topics } = paper({ brokerConfig: { "max.message.bytes": "3000000" } });
    if (config)
      topics.set("commands", { name: "commands", partitions: 1, replicationFactor: 3, config, states: [] });
    await run();
    expect(Number(topics.get("dead")?.config["max.message.bytes"])).toBe(bytes);
  });

  /** The error of a setup whose cluster or registry refuses. */
  const failure = async (refusal: Error, outage?: Error): Promise<UsageError> => {
    const { run, cluster, registry } = paper();
    if (outage) registry.find = () => Promise.reject(outage);
    if (refusal instanceof RegistryError) registry.register = () => Promise.reject(refusal);
    else cluster.create = () => Promise.reject(refusal);
    const error: unknown = await run().catch((each: unknown) => each);
    if (error instanceof UsageError) return error;
    throw new Error("no UsageError", { cause: error });
  };
  const registryError = (status: number | null): Error =>
    new RegistryError(`the schema registry answered ${status} (its reason)`, { status });

  test.each<[Error, number, RegExp]>([
    [errorOfCode(37), 7, /partitions.*: set TOPIC_PARTITIONS\.$/],
    [errorOfCode(29), 7, /authorized.*: this user needs the right Create /],
    [errorOfCode(44), 7, /policy.*: ask those who run the cluster/],
    ...[403, 409, 422].map((status): [Error, number, RegExp] => [
      registryError(status),
      4,
      /\(its reason\): see /,
    ]),
  ])("what is refused is said for each topic or schema, and is final: %s", async (refusal, count, said) => {
    const { message, cause } = await failure(refusal);
    expect(cause).toBeUndefined();
    expect(message.split("\n")).toHaveLength(count);
    for (const sentence of message.split("\n")) expect(sentence).toMatch(said);
  });

  test.each([
    // UNKNOWN, NOT_CONTROLLER, and a code of a later Kafka.
    ...[-1, 41, 9_999].map(errorOfCode),
    new Error("Connection timeout"),
    ...[401, 404, 429, 500, null].map(registryError),
  ])("what may pass ends it, and is no refusal: %s", async (obstacle) => {
    const { message, cause } = await failure(obstacle);
    expect(cause).toBeInstanceOf(Error);
    expect(message).toMatch(/^Setup did not finish: .*\. It can be run again\.$/);
  });

  test("what is refused is said, and is final, also where an outage ends the setup", async () => {
    const { message, cause } = await failure(errorOfCode(29), registryError(null));
    expect(cause).toBeUndefined();
    expect(message).toMatch(/^(Topic .*\n){7}Setup did not finish: /);
  });
});

describe("the checks of serve", () => {
  test("after a setup with three replicas there is no problem and no warning", async () => {
    const { look } = await ready();
    const { problems, warnings, schemaIdOf } = await look();
    expect(problems).toEqual([]);
    expect(warnings).toEqual([]);
    expect(schemaIdOf("command-journal-entry")).toBeGreaterThan(0);
  });

  test("a missing journal is not to be created before a person knows that it was never there", async () => {
    const { problems } = await paper().look(["journal", "results"]);
    const about = (name: string) => problems.find((problem) => problem.startsWith(`Topic ${name} `));
    expect(about("journal")).toMatch(/: check first .*"The journal is lost" in docs.failures\.md.*setup`\.$/);
    expect(about("results")).not.toContain("The journal is lost");
  });

  const kept = (ms: number) => ({ "retention.ms": String(ms) });
  const compact = { "cleanup.policy": "compact,delete" };
  const deleting = { "cleanup.policy": "delete" };
  const unclean = { "unclean.leader.election.enable": "true" };
  const sized = { "retention.bytes": "0" };
  const upTo = (bytes: number) => ({ "max.message.bytes": String(bytes) });
  const stamped = { "message.timestamp.type": "CreateTime" };
  const insync = { "min.insync.replicas": "4" };

  /** Changes one topic; gives what is said where it is used, after a look where it is not. */
  const changed = async (name: string, config: Record<string, string>, room: LargestRecord[] = []) => {
    const { look, change } = await ready({ room });
    change("commands", upTo(1_048_588));
    change(name, config);
    if (name !== "commands") {
      const others = await look(roles.filter((role) => names[role] !== name));
      expect(others).toMatchObject({ problems: [], warnings: [] });
    }
    return look();
  };

  type Kind = "problem" | "warning" | "fine";
  type Row = [kind: Kind, topic: string, config: Record<string, string>, said: string];
  const limited = ["events", "commands", "results", "dead", "audit"];
  test.each<Row>([
    ["problem", "journal", compact, "refuses those without a key: set cleanup.policy=delete."],
    ["problem", "journal", stamped, "set message.timestamp.type=LogAppendTime."],
    ["problem", "journal", kept(14 * DAY_MS - 1), "twice as long as commands"],
    ["problem", "commands", kept(8 * DAY_MS), "Topic journal is kept for less than twice as long"],
    ["problem", "journal", sized, "before their time: set retention.bytes=-1."],
    ["problem", "journal", unclean, "set unclean.leader.election.enable=false."],
    ["problem", "dead", upTo(1_114_123), "set max.message.bytes=1114124 or more."],
    ["problem", "dead", compact, "Topic dead is compacted"],
    ["problem", "audit", compact, "Topic audit is compacted"],
    ["problem", "audit", stamped, "Topic audit has the times of its writers"],
    ["problem", "events", compact, "Topic events is compacted"],
    ["problem", "results", insync, "has 3 replicas, and min.insync.replicas=4"],
    ["warning", "control", deleting, "without knowing of a pause: set cleanup.policy=compact."],
    ["warning", "results", unclean, "set unclean.leader.election.enable=false"],
    ["warning", "commands", compact, "Topic commands is compacted"],
    ["warning", "results", compact, "Topic results is compacted"],
    ...limited.map((name): Row => ["warning", name, sized, `Topic ${name} is limited in size`]),
    ["fine", "journal", kept(-1), ""],
    ["fine", "journal", kept(14 * DAY_MS), ""],
    ["fine", "dead", upTo(1_114_124), ""],
  ])("a %s: %s with %j", async (kind, name, config, said) => {
    const { problems, warnings } = await changed(name, config);
    const expected = (each: Kind): unknown[] => (each === kind ? [expect.stringContaining(said)] : []);
    expect([problems, warnings]).toEqual([expected("problem"), expected("warning")]);
  });

  test.each<keyof TopicNames>(["journal", "results", "transactionStatus", "deadLetters"])(
    "%s without room for what a setting lets be written is a problem",
    async (role) => {
      const room = [{ role, bytes: 1_200_000, setting: "A_SETTING=600000" }];
      expect((await changed(names[role], upTo(1_199_999), room)).problems).toEqual([
        `Topic ${names[role]} accepts records of at most 1199999 bytes, too few for A_SETTING=600000: set max.message.bytes=1200000 or more, or lower the setting.`,
      ]);
      expect((await changed(names[role], upTo(1_200_000), room)).problems).toEqual([]);
    },
  );

  test("more than one partition, where the order counts, is a problem", async () => {
    const { look, topics } = await ready();
    for (const name of ["audit", "control"]) topics.set(name, { ...topics.get(name)!, partitions: 3 });
    const { problems } = await look();
    expect(problems.join()).toMatch(
      /^Topic audit has 3 partitions.*setup.*,Topic control has 3 partitions.*setup/,
    );
  });

  test("a journal that may forget an accept within the life of its quote is a problem", async () => {
    const { look, change } = await ready();
    change("commands", kept(DAY_MS / 24));
    change("journal", kept(2 * DAY_MS - 1));
    expect((await look()).problems).toEqual([
      "Topic journal is kept for less than 2 days, so that it may forget an accept whose quote is still valid: raise its retention.ms.",
    ]);
    change("journal", kept(2 * DAY_MS));
    expect((await look()).problems).toEqual([]);
  });

  test("settings that may not be read are a warning that names their topics", async () => {
    const { look, topics } = await ready();
    for (const name of ["journal", "results"]) topics.set(name, { ...topics.get(name)!, config: {} });
    const { problems, warnings } = await look();
    expect(problems).toEqual([]);
    expect(warnings).toEqual([
      "Topics results, journal could not be checked for compaction, retention and sizes, because this user may not read the settings: grant DescribeConfigs on the topics.",
    ]);
  });

  test.each([
    ["fewer than three replicas", 1, {}],
    ["an acknowledgement by one", 3, { "min.insync.replicas": "1" }],
  ])("%s is a warning that names the topics", async (_, defaultReplicas, config) => {
    const { look, change } = await ready({ defaultReplicas });
    for (const name of Object.values(names)) change(name, config);
    const { problems, warnings } = await look();
    expect(problems).toEqual([]);
    expect(warnings).toHaveLength(1);
    for (const name of Object.values(names)) expect(warnings[0]).toContain(name);
  });

  test("the events topic should keep events for as long as the reconcile flow looks back", async () => {
    const { look, change } = await ready();
    const back = 3 * DAY_MS;
    expect(await look(roles, back)).toMatchObject({ problems: [], retentionWarning: null });
    change("events", { "retention.ms": String(2 * DAY_MS) });
    expect((await look(roles, back)).retentionWarning).toMatch(
      /^Topic events does not keep events .*retention\.ms=345600000/,
    );
    expect(await look(roles)).toMatchObject({ problems: [], retentionWarning: null });
  });
});
