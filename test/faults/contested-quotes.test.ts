import { afterEach, expect, it } from "vitest";
import { sendAccepts } from "../support/accepts.ts";
import { sharedCluster } from "../support/cluster.ts";
import { commandsWorld } from "../support/commands-world.ts";
import type { World } from "../support/world.ts";

const QUOTES = 60;

let world: World | undefined;
afterEach(async () => world?.close());

it("gives a quote to one of two commands that want it, wherever they come from", async () => {
  const opened = await commandsWorld(sharedCluster(), { replicas: 2, partnerMs: 50 });
  world = opened.world;
  const books = await sendAccepts(world, opened.brokers);
  const rivals = Array.from({ length: QUOTES }, (_, nth) =>
    ["a", "b"].map((side) => ({
      commandId: `c-${nth}-${side}`,
      quoteId: `q-${nth}`,
      key: `key-${nth}-${side}`,
    })),
  );
  await books.submit(rivals.flat());
  const account = await books.settle(60_000);
  await books.stop();

  expect(account).toMatchObject({
    unanswered: [],
    twoFinals: [],
    inDoubt: 0,
    falseYes: [],
    executedTwice: [],
    repetitions: 0,
    exact: true,
    succeeded: QUOTES,
    committed: 2 * QUOTES,
  });
  for (const pair of rivals) {
    const outcomes = pair.map(({ commandId }) => {
      const result = books.results.get(commandId)?.[0];
      return result?.error?.code ?? result?.outcome;
    });
    expect(outcomes.sort()).toEqual(["QUOTE_ALREADY_TAKEN", "SUCCEEDED"]);
  }
});
