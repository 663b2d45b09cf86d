import { expect, it } from "vitest";
import { correctTally } from "../support/accept-tally.ts";
import { commandsUnderFault } from "../support/commands-under-fault.ts";
import { eventually } from "../support/eventually.ts";

const ACCEPTS = 800;
const IN_FLIGHT = 32;

it("lets a frozen replica wake up after its partitions moved without executing anything again", async () => {
  const { replicas, accepts } = await commandsUnderFault({
    settings: { COMMANDS_MAX_IN_FLIGHT: String(IN_FLIGHT) },
    replicas: 2,
    partnerMs: 20,
  });
  const sending = accepts.send(ACCEPTS);
  await eventually(() => accepts.answered() >= ACCEPTS / 8, "an eighth to be answered", 60_000);
  const [sleeper] = replicas;
  sleeper?.signal("SIGSTOP");
  await sending;
  // The other one finishes everything: the sleeper's claims too, after waiting for it.
  await eventually(() => accepts.answered() >= ACCEPTS, "the other one to answer all", 90_000);
  sleeper?.signal("SIGCONT");
  await sleeper?.untilReady(60_000);
  const account = await accepts.settle(90_000);

  expect(account).toMatchObject(correctTally(ACCEPTS));
  expect(account.inDoubt).toBeLessThanOrEqual(IN_FLIGHT);
});
