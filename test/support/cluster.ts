import { inject } from "vitest";
import type { Cluster } from "./settings.ts";

/** The Kafka and the registry that all test files of a run share. */
export const sharedCluster = (): Cluster => ({
  kafkaBrokers: inject("kafkaBrokers"),
  schemaRegistryUrl: inject("schemaRegistryUrl"),
});
