import { inject } from "vitest";
import { eventually } from "./eventually.ts";
import { openWorld, type Replica, type World } from "./world.ts";

/** Short enough that a claim of a lost owner is given up within seconds. */
const QUICK = { PARTNER_CONNECT_TIMEOUT: "1s", PARTNER_CALL_TIMEOUT: "2s" };

/** A world with the commands flow alone, whose partner takes any quote and answers after `partnerMs`. */
export const commandsWorld = async (options: {
  env?: Record<string, string>;
  replicas: number;
  partnerMs?: number;
}): Promise<{ world: World; brokers: string; replicas: Replica[] }> => {
  const brokers = inject("kafkaBrokers");
  const world = await openWorld(
    { kafkaBrokers: brokers, schemaRegistryUrl: inject("schemaRegistryUrl") },
    {
      env: { FLOWS: "commands", ...QUICK, ...options.env },
      sandboxArgs: ["--accept-unknown-quotes", "--repetition", "again", "--walk", "still"],
    },
  );
  if (options.partnerMs !== undefined)
    await world.sandbox("/_sandbox/faults", { operation: "accept", kind: "latency", ms: options.partnerMs });
  const replicas = await Promise.all(Array.from({ length: options.replicas }, () => world.startReplica()));
  await eventually(
    async () => (await Promise.all(replicas.map((replica) => replica.isReady()))).every(Boolean),
    45_000,
  );
  return { world, brokers, replicas };
};
