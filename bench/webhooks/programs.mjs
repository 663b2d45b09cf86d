import { connect } from "node:net";
import { join } from "node:path";
import { endChild, startChild } from "../../dev/child.mjs";
import { freePort } from "../../dev/cluster/ports.mjs";
import { untilReady } from "../../dev/cluster/probe.mjs";
import { bridgeSettings, PARTITIONS, setUp, startBridge } from "../bridge.mjs";

/** @typedef {import("../environment.mjs").Environment} Environment */
/** @typedef {{ name: string, pid: number, port: number, topic: string }} Server */

const BASELINE_TOPIC = "bench.baseline";
const READY_MS = 30_000;

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
 * @param {Environment} environment
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
 * The bridge with HMAC verification on.
 * @param {Environment} environment
 * @param {{ name?: string, settings?: Record<string, string> }} [options] `settings` come on top
 * @returns {Promise<Server>}
 */
export async function startWebhooksBridge(environment, { name = "bridge", settings: more = {} } = {}) {
  const settings = await bridgeSettings(environment, { name, flows: "webhooks", settings: more });
  await setUp(environment, settings);
  const { pid } = await startBridge(environment, settings);
  return { name, pid, port: settings.port, topic: settings.topics.events };
}
