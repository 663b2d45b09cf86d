import { createHash } from "node:crypto";
import { pino } from "pino";
import { expect, inject, onTestFinished, test } from "vitest";
import { startKafka } from "../../dev/cluster/kafka.mjs";
import { openOverview } from "../../src/bridge/console/overview/overview.ts";
import { createServices } from "../../src/bridge/services.ts";
import { toRecord, type Step } from "../../src/commands-to-results/journal-rules/entry.ts";
import { loadConfig } from "../../src/config/load.ts";
import { newClient } from "../../src/kafka/client.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { encode, latestSchemaId } from "../support/avro.ts";
import { sharedCluster } from "../support/cluster.ts";
import { eventually } from "../support/eventually.ts";
import { askAdmin } from "../support/kafka.ts";
import { produce, type Message } from "../support/produce.ts";
import { runProgram } from "../support/program.ts";
import { serveSettings, type Cluster } from "../support/settings.ts";
import { openWorld, type World } from "../support/world.ts";
import { ownNames, toolSettings } from "../support/settings.ts";

const log = pino({ level: "silent" });
const LONG_MS = 40_000;
// Before any client of the tests: kafkajs is taught to send what the bridge prepares.
newClient({ brokers: ["127.0.0.1:9"], clientId: "test", tls: false, sasl: null }, log);

const openFor = (env: Record<string, string>, tell = () => {}) => {
  const { config } = loadConfig({ PARTNER_BASE_URL: "http://127.0.0.1:9", ...env }, "tool") as {
    config: Parameters<typeof createServices>[0];
  };
  const services = createServices(config, systemClock, log);
  const queries = openOverview(config, services, tell);
  onTestFinished(async () => {
    await queries.close();
    services.close();
  });
  return queries;
};

/** Entries of the journal, as bytes: by the schemas alone. */
const journalOf = async (registryUrl: string, topics: World["topics"]) => {
  const [entryId, resultId] = await Promise.all([
    latestSchemaId(registryUrl, topics.journal),
    latestSchemaId(registryUrl, topics.results),
  ]);
  const message = (commandId: string, step: Step): Message => ({
    key: `quote-of-${commandId}`,
    value: encode("command-journal-entry", entryId, toRecord({ operation: "ACCEPT_QUOTE", commandId, step })),
  });
  const requestHash = createHash("sha256").update("one").digest("hex");
  return {
    claimed: (commandId: string): Message =>
      message(commandId, {
        ...{ kind: "claimed", attemptId: `a-${commandId}`, requestHash, callWithinMs: 20_000 },
        ...{ receivedAt: 1, attempts: 0, supersedes: null, quoteId: `Quote of ${commandId}` },
      }),
    concluded: (commandId: string, outcome: "IN_DOUBT" | "SUCCEEDED"): Message => {
      const result = encode("command-result", resultId, {
        ...{ resultId: "r", commandId, operation: "ACCEPT_QUOTE", outcome, final: outcome !== "IN_DOUBT" },
        ...{
          quoteId: `Quote of ${commandId}`,
          externalId: null,
          httpStatus: 504,
          response: "x".repeat(5_000),
        },
        ...{ error: { code: "ANSWER_LOST", message: "It was lost." }, attempts: 1, decidedBy: "BRIDGE" },
        ...{ receivedAt: 1, completedAt: 2 },
      });
      return message(commandId, {
        ...{ kind: "concluded", attemptId: `a-${commandId}`, requestHash, outcome, resultId: "r", result },
        ...{ note: null, traceparent: null },
      });
    },
  };
};

const envOf = (world: World): Record<string, string> => toolSettings(sharedCluster(), world);

const createAgain = async (brokers: string, topic: string): Promise<void> => {
  await askAdmin(brokers, (admin) => admin.deleteTopics({ topics: [topic] }));
  await eventually(
    () =>
      askAdmin(brokers, (admin) =>
        admin.createTopics({ topics: [{ topic, numPartitions: 6 }], waitForLeaders: true }),
      ),
    "the topic to be created again",
    20_000,
  );
};

test("shows doubts of before and of now, ends them, and begins anew with another journal", async () => {
  const world = await openWorld(sharedCluster());
  onTestFinished(world.close);
  const { journal } = world.topics;
  const { claimed, concluded } = await journalOf(inject("schemaRegistryUrl"), world.topics);
  await produce(world.brokers, journal, [
    ...[claimed("done"), concluded("done", "SUCCEEDED"), claimed("open")],
    ...[claimed("old"), concluded("old", "IN_DOUBT")],
    { key: "nobody", value: "no entry" },
  ]);
  let heard = 0;
  const queries = openFor(envOf(world), () => void (heard += 1));
  expect(queries.overview().doubts).toMatchObject({
    count: 0,
    progress: { isComplete: false, sinceMs: null },
  });

  await eventually(() => queries.overview().doubts.progress.isComplete, "all to be read", LONG_MS);
  expect(queries.overview().doubts).toMatchObject({ count: 1, underWay: 1, progress: { read: 6, total: 6 } });
  expect(queries.doubts(0, 10).progress.problem).toContain("1 records");
  const [old] = queries.doubt("old");
  expect(old).toMatchObject({
    ...{ commandId: "old", quoteId: "Quote of old", attempts: 1, httpStatus: 504 },
    ...{ error: { code: "ANSWER_LOST" }, response: "x".repeat(300), claim: { callWithinMs: 20_000 } },
  });
  expect(old!.resolvableAtMs).toBe(old!.claim!.atMs + 400_000);

  await produce(world.brokers, journal, [claimed("new"), concluded("new", "IN_DOUBT")]);
  await eventually(() => queries.doubts(0, 10).count === 2, "the new doubt", LONG_MS);
  expect(queries.doubts(1, 1).doubts.map(({ commandId }) => commandId)).toEqual(["new"]);
  await produce(world.brokers, journal, [concluded("old", "SUCCEEDED")]);
  await eventually(() => queries.doubts(0, 10).count === 1, "the old doubt to end", LONG_MS);
  await eventually(() => heard > 2, "changes to be told of", LONG_MS);

  await createAgain(world.brokers, journal);
  await produce(world.brokers, journal, [claimed("other"), concluded("other", "IN_DOUBT")]);
  await eventually(
    () => {
      expect(queries.doubts(0, 10).doubts.map(({ commandId }) => commandId)).toEqual(["other"]);
      expect(queries.doubts(0, 10).progress.isComplete).toBe(true);
    },
    "the doubts of the other journal alone",
    60_000,
  );
}, 150_000);

test("shows rates, dead letters, lag, replicas, pauses and the last reconcile", async () => {
  const world = await openWorld(sharedCluster(), {
    settings: { RECONCILE_EVERY: "1s", RECONCILE_MIN_AGE: "0", FLOWS: "webhooks,commands,reconcile" },
  });
  onTestFinished(world.close);
  const { deadLetters, commands } = world.topics;
  await produce(world.brokers, deadLetters, [
    { key: "a", value: "1" },
    { key: "b", value: "2" },
  ]);
  const replica = await world.startReplica();
  await replica.untilReady();
  const who = ["--by", "ana", "--note", "FX-7: a test"];
  expect((await world.run(["pause", "commands", ...who])).code).toBe(0);
  await eventually(
    async () => {
      const text = await (await fetch(`${replica.managementUrl}/metrics`)).text();
      return /^cambio_bridge_paused\{flow="commands"\} 1$/m.test(text);
    },
    "the replica to pause",
    20_000,
  );
  await produce(world.brokers, commands, [{ key: "c", value: "{}" }]);

  const queries = openFor(envOf(world));
  await eventually(
    () => {
      const { kafka, deadLetters: letters, lag, replicas, pauses, lastReconcile, rates } = queries.overview();
      expect(kafka).toEqual({ up: true, detail: null });
      expect(letters).toMatchObject({ records: 2, lastHour: 2 });
      expect(Math.abs(Date.now() - letters.newestAtMs!)).toBeLessThan(120_000);
      expect(lag.records).toBe(1);
      expect(lag.hour.at(-1)).toBe(1);
      expect(replicas).toMatchObject([{ partitions: [0, 1, 2, 3, 4, 5], isReconciling: true }]);
      expect(pauses!.commands).toMatchObject({ says: "pause", by: "ana" });
      expect(pauses!.reconcile).toBeNull();
      expect(Date.now() - lastReconcile!.completeAtMs).toBeLessThan(60_000);
      expect(rates.map(({ of }) => of)).toEqual(["events", "commands", "results", "dead letters"]);
      expect(rates[3]!.perMinute.filter((count) => count !== null)).toHaveLength(60);
    },
    "the overview",
    LONG_MS,
  );
  const { completeAtMs } = queries.overview().lastReconcile!;
  await eventually(
    () => queries.overview().lastReconcile!.completeAtMs > completeAtMs,
    "another complete run to be kept",
    LONG_MS,
  );
  await replica.stop();
  const next = await world.startReplica({ FLOWS: "reconcile", PARTNER_BASE_URL: "http://127.0.0.1:9" });
  await eventually(
    async () => {
      const text = await (await fetch(`${next.managementUrl}/metrics`)).text();
      return /reconcile_last_complete_timestamp_seconds \d/.test(text);
    },
    "a later leader to know of the last complete run",
    LONG_MS,
  );
}, 150_000);

test("opens without Kafka, says so, and reads once it is there; says when it is gone, and keeps what it knew", async () => {
  const kafka = await startKafka({ brokers: 1 });
  onTestFinished(() => kafka.stop());
  const cluster: Cluster = { ...sharedCluster(), kafkaBrokers: kafka.bootstrapServers };
  const names = ownNames();
  const env = { ...serveSettings, ...toolSettings(cluster, names), PARTNER_BASE_URL: "http://127.0.0.1:9" };
  const [broker] = kafka.brokers;
  broker!.freeze();
  const queries = openFor(toolSettings(cluster, names));
  await eventually(() => !queries.overview().kafka.up, "the silence to be told of", 20_000);
  broker!.resume();
  await eventually(
    () => (queries.overview().kafka.detail ?? "").includes(names.topics.journal),
    "the missing topics to be told of",
    LONG_MS,
  );
  expect((await runProgram(["setup"], env)).code).toBe(0);
  const { claimed, concluded } = await journalOf(cluster.schemaRegistryUrl, names.topics);
  await produce(cluster.kafkaBrokers, names.topics.journal, [claimed("c"), concluded("c", "IN_DOUBT")]);
  await eventually(
    () => {
      expect(queries.overview()).toMatchObject({ kafka: { up: true }, doubts: { count: 1 } });
    },
    "the doubt",
    60_000,
  );
  broker!.freeze();
  await eventually(() => !queries.overview().kafka.up, "the silence to be told of again", LONG_MS);
  expect(queries.overview()).toMatchObject({
    kafka: { detail: expect.stringContaining("what is shown is of") as string },
    doubts: { count: 1 },
  });
  broker!.resume();
  await eventually(() => queries.overview().kafka.up, "Kafka to answer again", LONG_MS);
}, 240_000);
