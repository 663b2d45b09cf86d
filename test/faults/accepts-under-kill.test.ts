import { expect, it } from "vitest";
import { correctTally } from "../support/accept-tally.ts";
import { commandsUnderFault } from "../support/commands-under-fault.ts";
import { eventually } from "../support/eventually.ts";

const ACCEPTS = 1_500;
const KILLS = 4;
const IN_FLIGHT = 32;

it("executes no accept twice and answers each one while replicas are killed", async () => {
  const { world, replicas, accepts } = await commandsUnderFault({
    settings: { COMMANDS_MAX_IN_FLIGHT: String(IN_FLIGHT) },
    replicas: 2,
    partnerMs: 20,
  });
  const sending = accepts.send(ACCEPTS);
  for (let kill = 0; kill < KILLS; kill++) {
    const enough = ((kill + 0.5) * ACCEPTS) / (KILLS + 1);
    await eventually(() => accepts.answered() >= enough, `${enough} to be answered`, 60_000);
    replicas.shift()?.signal("SIGKILL");
    replicas.push(await world.startReplica());
  }
  await sending;
  const account = await accepts.settle(90_000);

  expect(account).toMatchObject(correctTally(ACCEPTS));
  expect(account.inDoubt).toBeLessThanOrEqual(KILLS * IN_FLIGHT);
  expect(account.succeeded + account.inDoubt).toBe(ACCEPTS);
});
