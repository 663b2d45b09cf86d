import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { endChild, startChild } from "../../dev/child.mjs";
import { freePort } from "../../dev/cluster/ports.mjs";
import { untilReady } from "../../dev/cluster/probe.mjs";
import { run } from "../../dev/run.mjs";
import { Failure } from "../../dev/terminal/failure.mjs";

/** @typedef {import("../../dev/program.mjs").Scope} Scope */
/** @typedef {{ name: string, pid: number, port: number, topic: string }} Server */
/** @typedef {{ projectFolder: string, logFolder: string, scope: Scope, brokers: string, registryUrl: string }} Surroundings */

export const TARGET = {
  path: "/webhooks/transaction-status",
  secret: "only-for-the-benchmark",
  signatureHeader: "x-signature",
};
/** As in the Dockerfile. */
const SMALL_YOUNG_GENERATION = "--max-semi-space-size=16";
const BRIDGE_TOPIC = "fx.transaction-status";
const BASELINE_TOPIC = "bench.baseline";
const PARTITIONS = 6;
const READY_MS = 30_000;
const PROBE_MS = 2_000;

/** @param {string} url */
export const isReady = async (url) => {
  const answer = await fetch(url, { signal: AbortSignal.timeout(PROBE_MS) });
  await answer.body?.cancel();
  return answer.status === 200;
};

/** @param {number} port @returns {Promise<boolean>} */
const isListening = (port) =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", reject);
  });

/**
 * @param {Surroundings} surroundings
 * @param {import("kafkajs").Admin} admin
 * @returns {Promise<Server>}
 */
export async function startBaseline({ projectFolder, logFolder, scope, brokers }, admin) {
  await admin.createTopics({
    topics: [{ topic: BASELINE_TOPIC, numPartitions: PARTITIONS }],
    waitForLeaders: true,
  });
  const port = await freePort();
  const options = {
    brokers,
    topic: BASELINE_TOPIC,
    port,
    schemaFile: join(projectFolder, "schemas", "transaction-status-updated.avsc"),
  };
  const program = join(projectFolder, "bench", "webhooks", "baseline-server.mjs");
  const child = await startChild([process.execPath, program, JSON.stringify(options)], {
    logFile: join(logFolder, "baseline.log"),
    cwd: projectFolder,
  });
  scope.defer(() => endChild(child, "SIGTERM"));
  await untilReady({
    what: "The baseline",
    process: child,
    withinMs: READY_MS,
    // It listens once it is connected to Kafka.
    attempt: () => isListening(port),
  });
  return { name: "baseline", pid: child.pid, port, topic: BASELINE_TOPIC };
}

/**
 * The bridge as the image runs it, with HMAC verification on.
 * @param {Surroundings} surroundings
 * @param {{ name?: string, settings?: Record<string, string> }} [options] settings on top of those that it needs
 * @returns {Promise<Server>}
 */
export async function startBridge(
  { projectFolder, logFolder, scope, brokers, registryUrl },
  { name = "bridge", settings = {} } = {},
) {
  const [port, managementPort] = [await freePort(), await freePort()];
  const env = {
    PATH: process.env.PATH,
    FLOWS: "webhooks",
    KAFKA_BROKERS: brokers,
    SCHEMA_REGISTRY_URL: registryUrl,
    PARTNER_BASE_URL: "http://127.0.0.1:9",
    TOPIC_TRANSACTION_STATUS: BRIDGE_TOPIC,
    TOPIC_PARTITIONS: String(PARTITIONS),
    WEBHOOK_HOST: "127.0.0.1",
    WEBHOOK_PORT: String(port),
    WEBHOOK_PATH: TARGET.path,
    WEBHOOK_AUTH: "hmac",
    WEBHOOK_SECRET: TARGET.secret,
    WEBHOOK_SIGNATURE_HEADER: TARGET.signatureHeader,
    MANAGEMENT_HOST: "127.0.0.1",
    MANAGEMENT_PORT: String(managementPort),
    ...settings,
  };
  const main = join(projectFolder, "dist", "main.js");
  if (!existsSync(main)) throw new Failure("dist/main.js is not there: run `npm run build` first.");
  await run(process.execPath, [main, "setup"], { env, cwd: projectFolder });
  const child = await startChild([process.execPath, SMALL_YOUNG_GENERATION, main, "serve"], {
    logFile: join(logFolder, `${name}.log`),
    cwd: projectFolder,
    env,
  });
  scope.defer(() => endChild(child, "SIGTERM"));
  await untilReady({
    what: `The ${name}`,
    process: child,
    withinMs: READY_MS,
    attempt: () => isReady(`http://127.0.0.1:${managementPort}/readyz`),
  });
  return { name, pid: child.pid, port, topic: BRIDGE_TOPIC };
}
