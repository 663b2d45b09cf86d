import { onTestFinished } from "vitest";
import { sendAccepts } from "./accepts.ts";
import type { Replica } from "./replica.ts";
import { openWorld, type World, type WorldOptions } from "./world.ts";

/** Short, so that another replica takes over the claim of a lost owner within seconds. */
const QUICK = { PARTNER_CONNECT_TIMEOUT: "1s", PARTNER_CALL_TIMEOUT: "2s" };

/**
 * The sandbox executes every accept that it gets, so that a second call of the bridge would show as a second
 * execution.
 */
export const TRUSTING = ["--accept-unknown-quotes", "--repetition", "again", "--walk", "still"];

type CommandsWorldOptions = Pick<WorldOptions, "cluster" | "settings"> & {
  replicas: number;
  /** How long the partner takes for an accept. */
  partnerMs?: number;
};

/** A world with the commands flow only, and with replicas that are ready. */
export const openCommandsWorld = async ({
  replicas: count,
  partnerMs,
  settings,
  ...options
}: CommandsWorldOptions): Promise<{ world: World; replicas: Replica[] }> => {
  const world = await openWorld({
    ...options,
    settings: { FLOWS: "commands", ...QUICK, ...settings },
    sandboxArgs: TRUSTING,
  });
  try {
    if (partnerMs !== undefined)
      await world.sandbox("/_sandbox/faults", { operation: "accept", kind: "latency", ms: partnerMs });
    const replicas = await Promise.all(Array.from({ length: count }, () => world.startReplica()));
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
export const commandsUnderFault = async (options: CommandsWorldOptions) => {
  const { world, replicas } = await openCommandsWorld(options);
  onTestFinished(world.close);
  return { world, replicas, accepts: await sendAccepts(world) };
};
