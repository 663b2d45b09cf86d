import type {} from "vitest";
import type { TestProject } from "vitest/node";
import type { LocalCluster } from "../../dev/cluster/local.mjs";
import { startLocalCluster } from "../../dev/cluster/local.mjs";
import { createSteps } from "../../dev/terminal/steps.mjs";

declare module "vitest" {
  // eslint-disable-next-line @typescript-eslint/consistent-type-definitions -- merges into vitest's interface
  interface ProvidedContext {
    /** Comma-separated host:port of the Kafka that all test files of a run share. */
    kafkaBrokers: string;
    /** Ends in /apis/ccompat/v7. */
    schemaRegistryUrl: string;
  }
}

/** Each vitest project loads this file anew in the same process: they share the cluster through a global. */
const shared = globalThis as typeof globalThis & {
  testCluster?: { users: number; started: Promise<LocalCluster> } | undefined;
};

/**
 * Provides the addresses of a Kafka and a registry to the tests of a project: those from `npm test`, or ones
 * that it starts.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { TEST_KAFKA_BROKERS, TEST_SCHEMA_REGISTRY_URL } = process.env;
  if (TEST_KAFKA_BROKERS && TEST_SCHEMA_REGISTRY_URL) {
    project.provide("kafkaBrokers", TEST_KAFKA_BROKERS);
    project.provide("schemaRegistryUrl", TEST_SCHEMA_REGISTRY_URL);
    return undefined;
  }
  const cluster = (shared.testCluster ??= { users: 0, started: startLocalCluster(createSteps()) });
  cluster.users++;
  const { bootstrapServers, registryUrl, stop } = await cluster.started;
  project.provide("kafkaBrokers", bootstrapServers);
  project.provide("schemaRegistryUrl", registryUrl);
  return async () => {
    cluster.users--;
    if (cluster.users > 0) return;
    shared.testCluster = undefined;
    await stop();
  };
}
