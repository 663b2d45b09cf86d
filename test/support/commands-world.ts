import { onTestFinished } from "vitest";
import { sendAccepts } from "./accepts.ts";
import { sharedCluster } from "./cluster.ts";
import type { Replica } from "./replica.ts";
import type { Cluster, Settings } from "./settings.ts";
import { openWorld, type World } from "./world.ts";

/** Short, so that another replica takes over the claim of a lost owner within seconds. */
const QUICK = { PARTNER_CONNECT_TIMEOUT: "1s", PARTNER_CALL_TIMEOUT: "2s" };

/**
 * The sandbox executes every accept that it gets, so that a second call of the bridge would show as a second
 * execution.
 */
export const TRUSTING = ["--accept-unknown-quotes", "--repetition", "again", "--walk", "still"];

/**
 * A world with the commands flow only, whose partner answers after `partnerMs`, and with `replicas` that are
 * ready.
 */
export const openCommandsWorld = async (
  cluster: Cluster,
  options: { settings?: Settings; replicas: number; partnerMs?: number },
): Promise<{ world: World; replicas: Replica[] }> => {
  const world = await openWorld(cluster, {
    settings: { FLOWS: "commands", ...QUICK, ...options.settings },
    sandboxArgs: TRUSTING,
  });
  try {
    if (options.partnerMs !== undefined)
      await world.sandbox("/_sandbox/faults", {
        operation: "accept",
        kind: "latency",
        ms: options.partnerMs,
      });
    const replicas = await Promise.all(Array.from({ length: options.replicas }, () => world.startReplica()));
    await Promise.all(replicas.map((replica) => replica.untilReady()));
    return { world, replicas };
  } catch (error) {
    await world.close();
    throw error;
  }
};

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
