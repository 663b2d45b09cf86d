import type {} from "vitest";
import type { TestProject } from "vitest/node";
import type { LocalCluster } from "../../dev/cluster/local.mjs";
import { startLocalCluster } from "../../dev/cluster/local.mjs";
import { createSteps } from "../../dev/terminal/steps.mjs";
import { dateIn, SAO_PAULO } from "../../src/runtime/date-in.ts";

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

/** At least as long as the tests of a project that needs Kafka take, but for the faults. */
const LONGEST_RUN_MS = 12 * 60_000;

/** An accept is only valid on its business day: a run that would go past midnight begins after it. */
const waitForMidnight = async (): Promise<void> => {
  const dateOf = dateIn(SAO_PAULO);
  const today = dateOf(Date.now());
  if (dateOf(Date.now() + LONGEST_RUN_MS) === today) return;
  console.log(`  … waiting for midnight in ${SAO_PAULO}: accepts are refused on the day after`);
  while (dateOf(Date.now()) === today) await new Promise((resolve) => setTimeout(resolve, 1_000));
};

/**
 * Provides the addresses of a Kafka and a registry to the tests of a project: those from `npm test`, or ones
 * that it starts.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { TEST_KAFKA_BROKERS, TEST_SCHEMA_REGISTRY_URL } = process.env;
  await waitForMidnight();
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
