import { onTestFinished } from "vitest";
import { sendAccepts } from "./accepts.ts";
import { sharedCluster } from "./cluster.ts";
import { openCommandsWorld } from "./commands-world.ts";
import type { Cluster, Settings } from "./settings.ts";

/**
 * Starts replicas that are ready for commands, and records the accepts that a test sends. Ends with the test.
 */
export const commandsUnderFault = async ({
  cluster = sharedCluster(),
  ...options
}: {
  cluster?: Cluster;
  settings?: Settings;
  replicas: number;
  /** How long the partner takes for an accept. */
  partnerMs?: number;
}) => {
  const { world, replicas } = await openCommandsWorld(cluster, options);
  onTestFinished(world.close);
  return { world, replicas, accepts: await sendAccepts(world) };
};
