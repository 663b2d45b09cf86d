import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Kafka, logLevel } from "kafkajs";
import { endChild, startChild } from "../dev/child.mjs";
import { startKafka } from "../dev/cluster/kafka.mjs";
import { untilReady } from "../dev/cluster/probe.mjs";
import { startRegistry } from "../dev/cluster/registry.mjs";
import { createSteps } from "../dev/terminal/steps.mjs";

/** @typedef {import("../dev/program.mjs").Scope} Scope */
/** @typedef {{ projectFolder: string, logFolder: string, scope: Scope, brokers: string, registryUrl: string }} Environment */

const READY_MS = 60_000;

/** Starts what every measurement needs: Kafka, the registry, and a folder for logs. All of it ends with the scope. @param {Scope} scope */
export async function openEnvironment(scope) {
  const projectFolder = dirname(dirname(fileURLToPath(import.meta.url)));
  const logFolder = await mkdtemp(join(tmpdir(), "cambio-bridge-bench-"));
  scope.defer(() => rm(logFolder, { recursive: true, force: true }));
  const { step, say, line } = createSteps();
  const kafka = await step("starting Kafka", () => startKafka({ say, throughput: true }));
  scope.defer(kafka.stop);
  const registry = await step("starting the schema registry", () => startRegistry({ say }));
  scope.defer(registry.stop);
  const [brokers, registryUrl] = [kafka.bootstrapServers, registry.url];
  return { step, line, environment: { projectFolder, logFolder, scope, brokers, registryUrl } };
}

/** @param {Environment} environment */
export async function openAdmin({ scope, brokers }) {
  const admin = new Kafka({ brokers: brokers.split(","), logLevel: logLevel.ERROR }).admin();
  await admin.connect();
  scope.defer(() => admin.disconnect());
  return admin;
}

/** @param {import("kafkajs").Admin} admin @param {string} topic */
export const recordsIn = async (admin, topic) =>
  (await admin.fetchTopicOffsets(topic)).reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0);

/**
 * Starts a program beside the bridge, and resolves when it is ready.
 * @param {Environment} environment
 * @param {{ name: string, args: readonly string[], attempt: () => Promise<boolean> }} options `args`: of node, in the project's folder
 */
export async function startProgram({ projectFolder, logFolder, scope }, { name, args, attempt }) {
  const logFile = join(logFolder, `${name}.log`);
  const child = await startChild([process.execPath, ...args], { logFile, cwd: projectFolder });
  scope.defer(() => endChild(child, "SIGTERM"));
  await untilReady({ what: `The ${name}`, process: child, withinMs: READY_MS, attempt });
  return child;
}
