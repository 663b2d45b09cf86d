import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { startKafka } from "../../dev/cluster/kafka.mjs";
import { messageOf } from "../support/accepts.ts";
import { eventually } from "../support/eventually.ts";
import { readTopic } from "../support/follow-topics.ts";
import { askAdmin } from "../support/kafka.ts";
import { produce } from "../support/produce.ts";
import { serveSettings, type Settings } from "../support/settings.ts";
import { onAllBrokers, threeBrokers } from "../support/three-brokers.ts";
import { openWorld, type World } from "../support/world.ts";

const AWAY = "kafka-internal.invalid:9092";
const kafka = threeBrokers(() =>
  Promise.resolve({ listeners: { AWAY: "PLAINTEXT" }, advertised: { AWAY }, settings: {} }),
);

const newWorld = async (): Promise<World> => {
  const world = await openWorld(kafka.cluster(), {
    settings: { ...onAllBrokers, TOPIC_PARTITIONS: "2" },
    sandboxArgs: ["--accept-unknown-quotes", "--walk", "still"],
  });
  onTestFinished(world.close);
  return world;
};

/** What `doctor` says, each check a line. */
const examine = async (world: World, over: Settings = {}) => {
  const settings = { ...serveSettings, WEBHOOK_PORT: "0", MANAGEMENT_PORT: "0", ...over };
  const { code, out } = await world.run(["doctor", "--json"], settings);
  const { checks } = JSON.parse(out) as { checks: Record<string, string>[] };
  const lines = checks.map(
    ({ status, group, name, detail, remedy }) => `${status} ${group} ${name}: ${detail}: ${remedy}`,
  );
  return { code, lines, of: (group: string) => lines.filter((line) => line.split(" ")[1] === group) };
};

test("replicas that are behind, partitions that cannot be written, and those that nobody leads", async () => {
  const world = await newWorld();
  const [first, second, third] = kafka.all();
  const alone = { KAFKA_BROKERS: `${first!.host}:${first!.port}` };
  // A cluster that has just started may have no coordinator of the group, for more than doctor waits.
  await eventually(
    async () =>
      expect((await examine(world, alone)).of("topics")).toEqual([
        expect.stringMatching(/^ok topics topics: all \d are there/),
      ]),
    "everything to be in order",
    20_000,
  );
  onTestFinished(async () => {
    for (const broker of [second!, third!]) await broker.start().catch(() => undefined);
    for (const topic of Object.values(world.topics)) await kafka.untilAgreedAbout(topic, 60_000);
  });

  await third!.kill();
  await eventually(
    async () => {
      const { of } = await examine(world, alone);
      expect(of("topics").filter((line) => line.includes("not in sync"))).toEqual([
        expect.stringMatching(/^warn topics replicas: \d+ partitions .*bring back .*\(3\)$/),
      ]);
    },
    "the replicas of a dead broker to be told of",
    40_000,
  );

  await second!.kill();
  await eventually(
    async () => {
      const { code, of } = await examine(world, alone);
      const journal = of("topics").filter((line) => line.includes(` topic ${world.topics.journal}: `));
      expect(journal).toEqual([
        expect.stringMatching(
          /^fail .*fewer replicas in sync than min\.insync\.replicas=2: nothing can be written there: .*\(2, 3\)$/,
        ),
      ]);
      expect(code).toBe(1);
    },
    "partitions that cannot be written to be told of",
    60_000,
  );

  const topic = `only-there-${randomUUID()}`;
  await second!.start();
  await askAdmin(kafka.addresses(), (admin) =>
    admin.createTopics({ topics: [{ topic, replicaAssignment: [{ partition: 0, replicas: [2] }] }] }),
  );
  await second!.kill();
  await eventually(
    async () => {
      const { of } = await examine(world, { ...alone, TOPIC_COMMANDS: topic });
      const led = of("topics").filter((line) => line.includes(` topic ${topic}: no broker leads`));
      expect(led).toEqual([expect.stringMatching(/^fail .*partition 0: .*have copies \(2\)$/)]);
    },
    "a partition without a leader to be told of",
    60_000,
  );
}, 240_000);

test("a session that the brokers do not allow", async () => {
  const world = await newWorld();
  const { of } = await examine(world, { KAFKA_SESSION_TIMEOUT: "1h" });
  expect(of("rights")).toContainEqual(
    expect.stringMatching(
      /^fail rights group .*: no replica can join the group .*: see KAFKA_SESSION_TIMEOUT/,
    ),
  );
}, 120_000);

test("a journal that is another one than before, before and after a restart", async () => {
  const world = await newWorld();
  const { topics, brokers } = world;
  const replica = await world.startReplica();
  await replica.untilReady();
  const commandId = randomUUID();
  await produce(brokers, topics.commands, [
    messageOf({ commandId, quoteId: `q-${commandId}`, key: commandId }),
  ]);
  await eventually(async () => (await readTopic(brokers, topics.results)).length === 1, "its result", 30_000);
  expect(await replica.stop()).toBe(0);
  const ofJournal = async () =>
    (await examine(world)).of("topics").filter((line) => line.includes(topics.journal));
  expect(await ofJournal()).toEqual([]);

  await askAdmin(brokers, (admin) => admin.deleteTopics({ topics: [topics.journal] }));
  await eventually(
    async () => {
      const { code, out } = await world.run(["setup"]);
      return code === 0 && out.includes("Caution: topic") && out.includes(`topic ${topics.journal}: created`);
    },
    "the journal to be created again",
    30_000,
  );
  expect(await ofJournal()).toEqual([
    expect.stringMatching(
      /^fail topics topic \S+: is not the journal that the group \S+ has used: it ends before offset .*"The journal is lost"/,
    ),
  ]);
}, 120_000);

test("brokers of two clusters, and a cluster that sends its clients to an address that is not there", async () => {
  const world = await newWorld();
  const other = await startKafka();
  onTestFinished(other.stop);
  const mixed = await examine(world, { KAFKA_BROKERS: `${kafka.addresses()},${other.bootstrapServers}` });
  expect(mixed.code).toBe(1);
  expect(mixed.of("kafka").filter((line) => line.startsWith("fail"))).toEqual([
    expect.stringMatching(
      new RegExp(`^fail kafka broker ${other.bootstrapServers}: it belongs to another cluster`),
    ),
  ]);
  expect(mixed.of("topics")).toEqual([expect.stringMatching(/^ok /)]);

  const away = await examine(world, { KAFKA_BROKERS: kafka.addressesOf("AWAY").split(",")[0]! });
  expect(away.of("kafka").filter((line) => line.startsWith("fail"))).toEqual([
    expect.stringMatching(
      new RegExp(
        `^fail kafka broker ${AWAY}: the cluster sends clients to it, and the name .* cannot be resolved`,
      ),
    ),
  ]);
  for (const group of ["rights", "topics"])
    expect(away.of(group)).toEqual([
      expect.stringContaining("no broker that the cluster names can be reached"),
    ]);
}, 120_000);
