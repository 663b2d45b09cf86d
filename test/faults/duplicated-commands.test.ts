import { afterEach, expect, it } from "vitest";
import { randomUUID } from "node:crypto";
import { flawless } from "../support/account.ts";
import { sendAccepts } from "../support/accepts.ts";
import { sharedCluster } from "../support/cluster.ts";
import { commandsWorld } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";
import type { World } from "../support/world.ts";

const ACCEPTS = 40;

let world: World | undefined;
afterEach(async () => world?.close());

it("answers a repeated command with the same result, on any replica, and never calls again", async () => {
  const opened = await commandsWorld(sharedCluster(), { replicas: 1, partnerMs: 50 });
  world = opened.world;
  const books = await sendAccepts(world, opened.brokers);
  const commands = Array.from({ length: ACCEPTS }, () => {
    const quoteId = randomUUID();
    return { commandId: randomUUID(), quoteId, key: quoteId };
  });
  const answeredTimes = (times: number): Promise<true> =>
    eventually(
      () =>
        books.results.size === ACCEPTS && [...books.results.values()].every((list) => list.length >= times),
      `each to be answered ${times} times`,
      30_000,
    );

  // The second ones have keys of their own, so that they come while the first are under way.
  await books.submit([...commands, ...commands.map((command) => ({ ...command, key: randomUUID() }))]);
  await answeredTimes(2);
  await books.submit(commands);
  await answeredTimes(3);
  const heir = await world.startReplica();
  await eventually(() => heir.isReady(), "the heir to be ready", 45_000);
  opened.replicas[0]?.process.signal("SIGTERM");
  await opened.replicas[0]?.process.exited();
  await books.submit(commands);
  await answeredTimes(4);
  const account = await books.settle(10_000);
  await books.stop();

  expect(account).toMatchObject({ ...flawless(ACCEPTS), succeeded: ACCEPTS, committed: 4 * ACCEPTS });
  for (const list of books.results.values())
    expect(new Set(list.map((result) => JSON.stringify(result))).size).toBe(1);
});
