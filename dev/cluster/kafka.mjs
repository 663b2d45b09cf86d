import { randomBytes } from "node:crypto";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { serverProperties } from "./broker-settings.mjs";
import { kafkaFolder } from "./download.mjs";
import { end, tether } from "./lifeline.mjs";
import { freePort } from "./ports.mjs";
import { aliveBrokers, untilReady } from "./probe.mjs";
import { hasJava, javaCommand, nothingToRunKafkaWith } from "./requirements.mjs";

/** @typedef {import("./lifeline.mjs").Tethered} Tethered */
/** @typedef {import("./broker-settings.mjs").Node} Node */

/**
 * @typedef {object} Broker
 * @property {number} id
 * @property {string} host
 * @property {number} port
 * @property {number} pid of the Java process, of today's one after a new start
 * @property {() => Promise<void>} kill SIGKILL; resolves when the process is gone
 * @property {() => void} freeze SIGSTOP
 * @property {() => void} resume SIGCONT
 * @property {() => Promise<void>} stop an orderly shutdown: leaders move away first
 * @property {() => Promise<void>} start starts it again on the same port and data; resolves when it answers and the cluster counts it in
 */

/**
 * @typedef {object} KafkaCluster
 * @property {string} bootstrapServers
 * @property {Broker[]} brokers
 * @property {() => Promise<void>} stop ends every process and removes the data
 */

const LOG_CONFIG = fileURLToPath(new URL("log4j2.xml", import.meta.url));
const READY_MS = 60_000;
const CONTROLLER_ID = 100;

/**
 * One node of the cluster: a Java process that can be started again on the same ports and data.
 * @param {{ node: Node, properties: string, folder: string, installation: string, clusterId: string, javaFlags: string[] }} options
 */
async function prepareNode({ node, properties, folder, installation, clusterId, javaFlags }) {
  await mkdir(node.dataFolder, { recursive: true });
  const settingsFile = join(folder, `node-${node.id}.properties`);
  await Promise.all([
    writeFile(settingsFile, properties),
    writeFile(
      join(node.dataFolder, "meta.properties"),
      `version=1\ncluster.id=${clusterId}\nnode.id=${node.id}\ndirectory.id=${uuid()}\n`,
    ),
    copyFile(join(installation, "bootstrap.checkpoint"), join(node.dataFolder, "bootstrap.checkpoint")),
  ]);
  const command = [
    javaCommand(),
    ...javaFlags,
    `-Dlog4j2.configurationFile=${LOG_CONFIG}`,
    "-cp",
    join(installation, "lib", "*"),
    "kafka.Kafka",
    settingsFile,
  ];
  const logFile = join(folder, `node-${node.id}.log`);
  return () => tether(command, { logFile, doomedFolder: folder, cwd: folder });
}

/** An id in Kafka's form. It must not begin with a dash, or tools take it for an option. */
const uuid = () => `A${randomBytes(16).toString("base64url").slice(1)}`;

/** @param {{ heapMb: number, throughput: boolean }} options */
const flagsFor = ({ heapMb, throughput }) => [
  `-Xmx${heapMb}m`,
  "-Xshare:auto",
  ...(throughput ? ["-XX:+UseG1GC"] : ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]),
];

/**
 * Starts a real Apache Kafka on free ports of 127.0.0.1. Nothing of it outlives this process, however that ends.
 * With three brokers the controller is a process of its own, so killing or freezing any broker never costs the cluster its head.
 * @param {object} [options]
 * @param {1 | 3} [options.brokers]
 * @param {number} [options.heapMb] heap of each broker
 * @param {boolean} [options.throughput] compile hot code fully: slower to start, for benchmarks
 * @param {import("./download.mjs").Say} [options.say]
 * @returns {Promise<KafkaCluster>}
 */
export async function startKafka({ brokers = 1, heapMb = 512, throughput = false, say = () => {} } = {}) {
  if (!(await hasJava())) throw nothingToRunKafkaWith();
  const installation = await kafkaFolder(say);
  const folder = await mkdtemp(join(tmpdir(), "cambio-bridge-kafka-"));
  const clusterId = uuid();
  const controllerPort = await freePort();
  const controllerId = brokers === 1 ? 1 : CONTROLLER_ID;

  /** @type {Tethered[]} */
  const running = [];
  const stop = async () => {
    await Promise.all(running.map((child) => end(child, "SIGKILL")));
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  };

  /** @param {Node} node @param {number} nodeHeapMb */
  const prepare = (node, nodeHeapMb) =>
    prepareNode({
      node,
      properties: serverProperties(node, { controllerId, controllerPort, brokers }),
      folder,
      installation,
      clusterId,
      javaFlags: flagsFor({ heapMb: nodeHeapMb, throughput }),
    });

  try {
    if (brokers > 1) {
      const dataFolder = join(folder, "controller");
      const node = /** @type {Node} */ ({
        id: controllerId,
        roles: "controller",
        controllerPort,
        dataFolder,
      });
      running.push(await (await prepare(node, 192))());
    }
    /** @type {Broker[]} */
    const members = [];
    for (let id = 1; id <= brokers; id++) {
      const port = await freePort();
      /** @type {Node} */
      const node = { id, roles: "broker", port, dataFolder: join(folder, `broker-${id}`) };
      if (brokers === 1) Object.assign(node, { roles: "broker,controller", controllerPort });
      const launch = await prepare(node, heapMb);
      members.push(await startBroker({ id, port, launch, running }));
    }
    await Promise.all(
      members.map(({ port }, index) =>
        untilReady({
          what: `Kafka broker ${index + 1} (port ${port})`,
          process: /** @type {Tethered} */ (running[brokers === 1 ? 0 : index + 1]),
          withinMs: READY_MS,
          attempt: async () => (await aliveBrokers(port)) === brokers,
        }),
      ),
    );
    return {
      bootstrapServers: members.map(({ host, port }) => `${host}:${port}`).join(","),
      brokers: members,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * @param {{ id: number, port: number, launch: () => Promise<Tethered>, running: Tethered[] }} options
 * @returns {Promise<Broker>}
 */
async function startBroker({ id, port, launch, running }) {
  let child = await launch();
  running.push(child);
  /** @param {NodeJS.Signals} signal */
  const endIt = async (signal) => {
    await end(child, signal);
    running.splice(running.indexOf(child), 1);
  };
  return {
    id,
    host: "127.0.0.1",
    port,
    get pid() {
      return child.pid;
    },
    kill: () => endIt("SIGKILL"),
    freeze: () => child.signal("SIGSTOP"),
    resume: () => child.signal("SIGCONT"),
    stop: () => endIt("SIGTERM"),
    start: async () => {
      if (child.isRunning()) throw new Error(`broker ${id} is running`);
      child = await launch();
      running.push(child);
      await untilReady({
        what: `Kafka broker ${id} (port ${port})`,
        process: child,
        withinMs: READY_MS,
        attempt: async () => (await aliveBrokers(port)) > 0,
      });
    },
  };
}
