import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { startKafka } from "../../dev/cluster/kafka.mjs";
import { examine } from "../support/doctor.ts";
import { eventually } from "../support/eventually.ts";
import { askAdmin } from "../support/kafka.ts";
import { onAllBrokers, threeBrokers } from "../support/three-brokers.ts";
import { openTestWorld, type World } from "../support/world.ts";

const AWAY = "kafka-internal.invalid:9092";
const kafka = threeBrokers(() =>
  Promise.resolve({ listeners: { AWAY: "PLAINTEXT" }, advertised: { AWAY }, settings: {} }),
);

const newWorld = async (): Promise<World> => {
  const world = await openTestWorld({
    cluster: kafka.cluster(),
    settings: { ...onAllBrokers, TOPIC_PARTITIONS: "2" },
    sandboxArgs: ["--accept-unknown-quotes", "--walk", "still"],
  });
  return world;
};

test("partitions that cannot be written, and those that nobody leads", async () => {
  const world = await newWorld();
  const [first, second, third] = kafka.all();
  const alone = { KAFKA_BROKERS: `${first!.host}:${first!.port}` };
  // A cluster that has just started may answer for a while that it cannot.
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
  const topic = `only-there-${randomUUID()}`;
  await askAdmin(kafka.addresses(), (admin) =>
    admin.createTopics({ topics: [{ topic, replicaAssignment: [{ partition: 0, replicas: [2] }] }] }),
  );

  await third!.kill();
  await second!.kill();
  await eventually(
    async () => {
      const { code, of } = await examine(world, { ...alone, TOPIC_COMMANDS: topic });
      const told = (name: string): string[] =>
        of("topics").filter((line) => line.includes(` topic ${name}: partition `));
      expect(told(world.topics.journal)).toEqual([
        expect.stringMatching(
          /^fail .*partition 0, 1 cannot be written.*min\.insync\.replicas=2: .*\(2, 3\)$/,
        ),
      ]);
      expect(told(topic)).toEqual([
        expect.stringMatching(/^fail .*partition 0 cannot be written: no broker leads it.*\(2\)$/),
      ]);
      expect(code).toBe(1);
    },
    "partitions that cannot be written to be told of",
    60_000,
  );
}, 180_000);

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
      new RegExp(`^fail kafka broker ${AWAY}: the name .* cannot be resolved .*advertised.listeners`),
    ),
  ]);
  for (const group of ["rights", "topics"])
    expect(away.of(group)).toEqual([expect.stringContaining("no broker can be used")]);
}, 120_000);
