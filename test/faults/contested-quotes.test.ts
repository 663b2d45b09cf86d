import { expect, it } from "vitest";
import { commandsUnderFault } from "../support/commands-under-fault.ts";
import { askAdmin } from "../support/kafka.ts";

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

it("answers all who want a taken quote without reading the journal again", async () => {
  const { world, accepts } = await commandsUnderFault({ replicas: 1, partnerMs: 50 });
  const [quotes, commands] = [20, 600];
  await accepts.submit(
    Array.from({ length: commands }, (_, nth) => ({
      commandId: `c-${nth}`,
      quoteId: `q-${nth % quotes}`,
      key: `q-${nth % quotes}`,
    })),
  );
  const account = await accepts.settle(60_000);

  expect(account).toMatchObject({
    unanswered: [],
    conflictingFinals: [],
    inDoubt: 0,
    executedTwice: [],
    repetitions: 0,
    succeeded: quotes,
    committed: commands,
  });
  const { groups } = await askAdmin(world.brokers, (admin) => admin.listGroups());
  const rereading = groups.filter(({ groupId }) => groupId.startsWith(`${world.groupId}-reread`));
  expect(rereading).toEqual([]);
});
