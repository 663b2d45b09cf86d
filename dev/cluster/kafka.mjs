import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchBroker } from "./broker.mjs";
import { serverProperties } from "./broker-settings.mjs";
import { kafkaFolder } from "./download.mjs";
import { endChild } from "../child.mjs";
import { prepareNode, uuid } from "./node.mjs";
import { freePort } from "./ports.mjs";
import { hasJava, nothingToRunKafkaWith } from "./requirements.mjs";

/** @typedef {import("./broker.mjs").Broker} Broker */
/** @typedef {import("./broker-settings.mjs").Node} Node */
/** @typedef {import("./broker-settings.mjs").Security} Security */

/**
 * @typedef {object} KafkaCluster
 * @property {string} bootstrapServers
 * @property {Broker[]} brokers
 * @property {(listener: string) => string} at the bootstrap servers of a further listener
 * @property {() => Promise<void>} stop ends every process and removes the data
 */

const CONTROLLER_ID = 100;
const CONTROLLER_HEAP_MB = 192;

/**
 * Starts a real Apache Kafka on free ports of 127.0.0.1. All of it ends with this process.
 * With three brokers the controller is a process of its own, so that the cluster survives a killed or frozen broker.
 * @param {object} [options]
 * @param {1 | 3} [options.brokers]
 * @param {number} [options.heapMb] heap of each broker
 * @param {boolean} [options.throughput] compile hot code fully: slower to start, for benchmarks
 * @param {Security} [options.security]
 * @param {import("./download.mjs").Say} [options.say]
 * @returns {Promise<KafkaCluster>}
 */
export async function startKafka({
  brokers = 1,
  heapMb = 512,
  throughput = false,
  security,
  say = () => {},
} = {}) {
  if (!(await hasJava())) throw nothingToRunKafkaWith();
  const installation = await kafkaFolder(say);
  const folder = await mkdtemp(join(tmpdir(), "cambio-bridge-kafka-"));
  const clusterId = uuid();
  const controllerPort = await freePort();
  const alone = brokers === 1;
  const quorum = { controllerId: alone ? 1 : CONTROLLER_ID, controllerPort, brokers, security };

  /** @param {Omit<Node, "dataFolder">} role @param {number} nodeHeapMb */
  const prepare = (role, nodeHeapMb) => {
    const node = { ...role, dataFolder: join(folder, `data-${role.id}`) };
    const properties = serverProperties(node, quorum);
    return prepareNode({
      node,
      properties,
      folder,
      installation,
      clusterId,
      java: { heapMb: nodeHeapMb, throughput, flags: security?.javaFlags ?? [] },
    });
  };

  /** @type {(() => Promise<void>)[]} */
  const kills = [];
  const stop = async () => {
    await Promise.all(kills.map((kill) => kill()));
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  };
  try {
    if (!alone) {
      const launch = await prepare(
        { id: CONTROLLER_ID, roles: "controller", controllerPort },
        CONTROLLER_HEAP_MB,
      );
      const controller = await launch();
      kills.push(() => endChild(controller, "SIGKILL"));
    }
    const members = [];
    /** @type {Record<string, string[]>} */
    const addresses = {};
    for (let id = 1; id <= brokers; id++) {
      const port = await freePort();
      /** @type {Record<string, number>} */
      const extraPorts = {};
      for (const name of Object.keys(security?.listeners ?? {})) {
        extraPorts[name] = await freePort();
        (addresses[name] ??= []).push(`127.0.0.1:${extraPorts[name]}`);
      }
      /** @type {Omit<Node, "dataFolder">} */
      const role = alone
        ? { id, roles: "broker,controller", port, extraPorts, controllerPort }
        : { id, roles: "broker", port, extraPorts };
      const broker = await launchBroker({ id, port, launch: await prepare(role, heapMb) });
      kills.push(broker.kill);
      members.push(broker);
    }
    await Promise.all(members.map((broker) => broker.untilCountsIn(brokers)));
    const bootstrapServers = members.map(({ host, port }) => `${host}:${port}`).join(",");
    const at = (/** @type {string} */ listener) => (addresses[listener] ?? []).join(",");
    return { bootstrapServers, brokers: members, at, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
