import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { freePort } from "../../dev/cluster/ports.mjs";
import { bridgeSettings, PARTITIONS, setUp, startBridge } from "../bridge.mjs";
import { startProgram } from "../environment.mjs";

/** @typedef {import("../environment.mjs").Environment} Environment */
/** @typedef {{ name: string, pid: number, port: number, topic: string }} Server */

const BASELINE_TOPIC = "bench.baseline";

/** @param {number} port */
async function isListening(port) {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.destroy();
  return true;
}

/**
 * @param {Environment} environment
 * @param {import("kafkajs").Admin} admin
 * @returns {Promise<Server>}
 */
export async function startBaseline(environment, admin) {
  const { projectFolder, brokers } = environment;
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
  const child = await startProgram(environment, {
    name: "baseline",
    args: ["bench/webhooks/baseline-server.mjs", JSON.stringify(options)],
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

/**
 * A trace collector that discards everything.
 * @param {import("../../dev/program.mjs").Scope} scope
 * @param {string} part share of the traces that are sampled, 0 to 1
 * @returns {Promise<Record<string, string>>} the settings of a bridge that exports to it
 */
export async function startCollector(scope, part) {
  const server = createServer((request, response) => request.resume().on("end", () => response.end()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  scope.defer(async () => void server.close().closeAllConnections());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the collector has no port");
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${address.port}`,
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: part,
  };
}
