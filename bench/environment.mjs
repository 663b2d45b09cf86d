import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startKafka } from "../dev/cluster/kafka.mjs";
import { startRegistry } from "../dev/cluster/registry.mjs";
import { createSteps } from "../dev/terminal/steps.mjs";

/** @typedef {import("../dev/program.mjs").Scope} Scope */
/** @typedef {{ projectFolder: string, logFolder: string, scope: Scope, brokers: string, registryUrl: string }} Environment */

/**
 * Starts what every measurement needs: Kafka, the registry, and a folder for logs. All of it ends with the scope, but for addresses
 * that are given.
 * @param {Scope} scope
 * @param {{ brokers?: string, registry?: string }} [given]
 */
export async function openEnvironment(scope, given = {}) {
  const projectFolder = dirname(dirname(fileURLToPath(import.meta.url)));
  const logFolder = await mkdtemp(join(tmpdir(), "cambio-bridge-bench-"));
  scope.defer(() => rm(logFolder, { recursive: true, force: true }));
  const { step, say, line } = createSteps();
  if (given.brokers !== undefined && given.registry !== undefined) {
    const { brokers, registry } = given;
    return { step, line, environment: { projectFolder, logFolder, scope, brokers, registryUrl: registry } };
  }
  const kafka = await step("starting Kafka", () => startKafka({ say, throughput: true }));
  scope.defer(kafka.stop);
  const registry = await step("starting the schema registry", () => startRegistry({ say }));
  scope.defer(registry.stop);
  const brokers = kafka.bootstrapServers;
  return {
    step,
    line,
    environment: { projectFolder, logFolder, scope, brokers, registryUrl: registry.url },
  };
}
