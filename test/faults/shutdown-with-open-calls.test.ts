import { expect, it } from "vitest";
import { correctTally } from "../support/accept-tally.ts";
import { commandsUnderFault } from "../support/commands-under-fault.ts";
import { eventually } from "../support/eventually.ts";

const SHUTDOWN_MS = 10_000;
const HANGING = 5;

it("ends in time with a doubt published for each call that hangs", async () => {
  const { world, replicas, accepts } = await commandsUnderFault({
    settings: { SHUTDOWN_TIMEOUT: `${SHUTDOWN_MS}ms`, PARTNER_CALL_TIMEOUT: "5s" },
    replicas: 1,
  });
  await world.sandbox("/_sandbox/faults", { operation: "accept", kind: "hang", when: "after" });
  await accepts.send(HANGING);
  const executions = (): Promise<{ executions: number }> => world.sandbox("/_sandbox/executions");
  await eventually(async () => (await executions()).executions === HANGING, "all calls", 30_000);

  const startedAt = Date.now();
  expect(await replicas[0]?.stop()).toBe(0);
  expect(Date.now() - startedAt).toBeLessThan(SHUTDOWN_MS);
  const account = await accepts.settle(10_000);
  expect(account).toMatchObject({ ...correctTally(HANGING), inDoubt: HANGING });
});
