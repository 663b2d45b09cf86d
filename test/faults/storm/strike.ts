import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../../support/eventually.ts";
import type { Replica } from "../../support/replica.ts";
import type { World } from "../../support/world.ts";

export type Fault = { kind: "kill" | "freeze"; replica: string; at: number };

/** Longer than the group waits for a silent member, and then its heirs for the end of its claims. */
const FROZEN_MS = 20_000;
const READY_MS = 120_000;

/** Kinds of faults, the two mixed evenly. */
export const faultKinds = (kills: number, freezes: number): Fault["kind"][] => {
  const total = kills + freezes;
  return Array.from({ length: total }, (_, nth) =>
    Math.floor(((nth + 1) * freezes) / total) > Math.floor((nth * freezes) / total) ? "freeze" : "kill",
  );
};

/** Kills and freezes replicas, of which one at least stays up, and brings each back. */
export const striker = (world: World, replicas: readonly Replica[]) => {
  const standing = [...replicas];
  const faults: Fault[] = [];
  const recovering = new Set<Promise<void>>();
  const neverBack: string[] = [];

  const untilReady = async (replica: Replica): Promise<void> => {
    await replica.untilReady(READY_MS).then(
      () => standing.push(replica),
      () => neverBack.push(replica.name),
    );
  };
  const kill = async (victim: Replica): Promise<void> => {
    victim.signal("SIGKILL");
    await victim.exited();
    await untilReady(await world.startReplica());
  };
  const freeze = async (victim: Replica): Promise<void> => {
    victim.signal("SIGSTOP");
    await sleep(FROZEN_MS);
    victim.signal("SIGCONT");
    await untilReady(victim);
  };

  return {
    faults,
    /** Replicas that were ready before, and did not get ready again. */
    neverBack,
    /** Hits the replica that has stood longest, once more than one stands. Does not wait for it to come back. */
    strike: async (kind: Fault["kind"]): Promise<Fault> => {
      const victim = await eventually(
        () => standing.length > 1 && standing.shift()!,
        "a second replica to stand",
        2 * READY_MS,
      );
      const fault = { kind, replica: victim.name, at: Date.now() };
      faults.push(fault);
      const recovery = (kind === "kill" ? kill(victim) : freeze(victim)).finally(() =>
        recovering.delete(recovery),
      );
      recovering.add(recovery);
      return fault;
    },
    /** Resolves when everybody has come back, or is given up. */
    allBack: async (): Promise<void> => {
      await Promise.all(recovering);
    },
  };
};
