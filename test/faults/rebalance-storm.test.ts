import { expect, it } from "vitest";
import { setTimeout as sleep } from "node:timers/promises";
import { correctTally } from "../support/accept-tally.ts";
import { commandsUnderFault } from "../support/commands-under-fault.ts";

const ACCEPTS = 600;
const CHANGES = 8;
const EVERY_MS = 1_000;

it("doubts nothing while replicas join and leave in good order", async () => {
  const { world, replicas, accepts } = await commandsUnderFault({ replicas: 2, partnerMs: 20 });
  const exits: Promise<number>[] = [];
  for (let change = 0; change < CHANGES; change++) {
    await accepts.send(ACCEPTS / CHANGES);
    if (change % 2 === 0) replicas.push(await world.startReplica());
    else {
      const leaving = replicas.shift()!;
      leaving.signal("SIGTERM");
      exits.push(leaving.exited());
    }
    // It is the pace of the hazard, not a wait for anything.
    await sleep(EVERY_MS);
  }
  const account = await accepts.settle(90_000);

  expect(account).toMatchObject({ ...correctTally(ACCEPTS), succeeded: ACCEPTS, inDoubt: 0 });
  expect(await Promise.all(exits)).toEqual(exits.map(() => 0));
});
