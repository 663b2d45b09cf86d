import { expect, it } from "vitest";
import { commandsUnderFault } from "../support/commands-under-fault.ts";
import type { ProgramResult } from "../support/program.ts";
import { eventually } from "../support/eventually.ts";

it("lets an operator end a doubt once, and shows the decision to the next one", async () => {
  const { world, accepts } = await commandsUnderFault({ replicas: 1 });
  await world.sandbox("/_sandbox/faults", { operation: "accept", kind: "reset", when: "after", count: 1 });
  const commandId = "c-doubted";
  await accepts.submit([{ commandId, quoteId: "q-doubted", key: "q-doubted" }]);
  await eventually(() => accepts.results.get(commandId)?.[0]?.outcome === "IN_DOUBT", "the doubt", 30_000);

  const decide = (as: string, ...more: string[]): Promise<ProgramResult> =>
    world.run(["resolve", commandId, "--as", as, "--by", "ana", "--note", "asked the partner", ...more]);
  const tooYoung = await decide("succeeded");
  expect(tooYoung).toMatchObject({ code: 1, out: "" });
  expect(tooYoung.err).toContain("--force");
  const decided = await decide("succeeded", "--force");
  expect(decided.code).toBe(0);
  expect(decided.err).toMatch(/^Command c-doubted is ended: SUCCEEDED\. Durable at [^\n]+\n$/);
  const decision = JSON.parse(decided.out) as object;
  expect(decision).toMatchObject({ commandId, outcome: "SUCCEEDED", final: true, decidedBy: "OPERATOR" });
  const again = await decide("not-executed", "--force");
  expect(again.code).toBe(1);
  expect(again.out).toContain(JSON.stringify(decision));

  await eventually(
    () => accepts.results.get(commandId)?.length === 2,
    "the decision to be published",
    10_000,
  );
  const account = await accepts.settle(10_000);
  expect(accepts.results.get(commandId)?.at(-1)).toMatchObject({ outcome: "SUCCEEDED", final: true });
  expect(account).toMatchObject({ conflictingFinals: [], falseSuccesses: [], repetitions: 0, committed: 1 });
});
