import { eventually } from "./eventually.ts";
import { openWorld, type Cluster, type Replica, type World } from "./world.ts";

/** Short enough that a claim of a lost owner is given up within seconds. */
const QUICK = { PARTNER_CONNECT_TIMEOUT: "1s", PARTNER_CALL_TIMEOUT: "2s" };

/** The partner takes any quote and executes it as often as it is asked to: what a careless client does shows in full. */
export const TRUSTING = ["--accept-unknown-quotes", "--repetition", "again", "--walk", "still"];

export type CommandsWorld = { world: World; brokers: string; replicas: Replica[] };

/** A world with the commands flow alone, whose partner answers after `partnerMs`, and so many replicas that are ready. */
export const commandsWorld = async (
  cluster: Cluster,
  options: { env?: Record<string, string>; replicas: number; partnerMs?: number },
): Promise<CommandsWorld> => {
  const world = await openWorld(cluster, {
    env: { FLOWS: "commands", ...QUICK, ...options.env },
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
    await eventually(
      async () => (await Promise.all(replicas.map((replica) => replica.isReady()))).every(Boolean),
      "all replicas to be ready",
      45_000,
    );
    return { world, brokers: cluster.kafkaBrokers, replicas };
  } catch (error) {
    await world.close();
    throw error;
  }
};
