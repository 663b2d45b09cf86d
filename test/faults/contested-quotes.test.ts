import { expect, it } from "vitest";
import { commandsUnderFault } from "../support/commands-world.ts";

const QUOTES = 60;

it("gives a quote to one of two commands that want it, wherever they come from", async () => {
  const { accepts } = await commandsUnderFault({ replicas: 2, partnerMs: 50 });
  const rivals = Array.from({ length: QUOTES }, (_, nth) =>
    ["a", "b"].map((side) => ({
      commandId: `c-${nth}-${side}`,
      quoteId: `q-${nth}`,
      key: `key-${nth}-${side}`,
    })),
  );
  await accepts.submit(rivals.flat());
  const account = await accepts.settle(60_000);

  expect(account).toMatchObject({
    unanswered: [],
    conflictingFinals: [],
    inDoubt: 0,
    falseSuccesses: [],
    executedTwice: [],
    repetitions: 0,
    succeeded: QUOTES,
    committed: 2 * QUOTES,
  });
  for (const pair of rivals) {
    const outcomes = pair.map(({ commandId }) => {
      const result = accepts.results.get(commandId)?.[0];
      return result?.error?.code ?? result?.outcome;
    });
    expect(outcomes.sort()).toEqual(["QUOTE_ALREADY_TAKEN", "SUCCEEDED"]);
  }
});
