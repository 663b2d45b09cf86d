import { afterEach, expect, it } from "vitest";
import { CommandError } from "../../dev/run.mjs";
import { sendAccepts } from "../support/accepts.ts";
import { sharedCluster } from "../support/cluster.ts";
import { commandsWorld } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";
import type { World } from "../support/world.ts";

let world: World | undefined;
afterEach(async () => world?.close());

it("lets an operator end a doubt once, and shows the decision to the next one", async () => {
  const opened = await commandsWorld(sharedCluster(), { replicas: 1 });
  const own = (world = opened.world);
  await own.sandbox("/_sandbox/faults", { operation: "accept", kind: "reset", when: "after", count: 1 });
  const books = await sendAccepts(world, opened.brokers);
  const commandId = "c-doubted";
  await books.submit([{ commandId, quoteId: "q-doubted", key: "q-doubted" }]);
  await eventually(() => books.results.get(commandId)?.[0]?.outcome === "IN_DOUBT", "the doubt", 30_000);

  const decide = (as: string, ...more: string[]): Promise<string> =>
    own.cli(["resolve", commandId, "--as", as, "--by", "ana", "--note", "asked the partner", ...more]);
  const refused = async (decision: Promise<string>): Promise<string> => {
    const error = await decision.then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(CommandError);
    expect((error as CommandError).how).toBe(1);
    return (error as CommandError).output;
  };

  expect(await refused(decide("succeeded"))).toContain("--force");
  const decision = JSON.parse(await decide("succeeded", "--force")) as object;
  expect(decision).toMatchObject({ commandId, outcome: "SUCCEEDED", final: true, decidedBy: "OPERATOR" });
  const again = await refused(decide("not-executed", "--force"));
  expect(again).toContain(JSON.stringify(decision));

  await eventually(() => books.results.get(commandId)?.length === 2, "the decision to be published", 10_000);
  const account = await books.settle(10_000);
  await books.stop();
  expect(books.results.get(commandId)?.at(-1)).toMatchObject({ outcome: "SUCCEEDED", final: true });
  expect(account).toMatchObject({ twoFinals: [], falseYes: [], repetitions: 0, committed: 1 });
});
