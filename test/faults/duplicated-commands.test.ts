import { expect, it } from "vitest";
import { randomUUID } from "node:crypto";
import { correctTally } from "../support/accept-tally.ts";
import { newAccepts } from "../support/accepts.ts";
import { commandsUnderFault } from "../support/commands-under-fault.ts";
import { eventually } from "../support/eventually.ts";

const ACCEPTS = 40;

it("answers a repeated command with the same result, on any replica, and never calls again", async () => {
  const { world, replicas, accepts } = await commandsUnderFault({ replicas: 1, partnerMs: 50 });
  const commands = newAccepts(ACCEPTS);
  const answeredTimes = (times: number): Promise<true> =>
    eventually(
      () =>
        accepts.results.size === ACCEPTS &&
        [...accepts.results.values()].every((list) => list.length >= times),
      `each to be answered ${times} times`,
      30_000,
    );

  // The second ones have keys of their own, so that they come while the first are under way.
  await accepts.submit([...commands, ...commands.map((command) => ({ ...command, key: randomUUID() }))]);
  await answeredTimes(2);
  await accepts.submit(commands);
  await answeredTimes(3);
  const heir = await world.startReplica();
  await heir.untilReady();
  await replicas[0]?.stop();
  await accepts.submit(commands);
  await answeredTimes(4);
  const account = await accepts.settle(10_000);

  expect(account).toMatchObject({ ...correctTally(ACCEPTS), succeeded: ACCEPTS, committed: 4 * ACCEPTS });
  for (const list of accepts.results.values())
    expect(new Set(list.map((result) => JSON.stringify(result))).size).toBe(1);
});
