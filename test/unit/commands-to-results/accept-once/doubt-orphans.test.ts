import { expect, it } from "vitest";
import { endLeftovers } from "../../../../src/commands-to-results/accept-once/loops.ts";
import { accept, claimed, createDeps, createLog } from "./journal.ts";

const c1 = accept("c1");

it("doubts an accept whose claim nobody ends, in the words of the claim, once", async () => {
  const log = createLog();
  log.append(c1, claimed("a", { callWithinMs: 5, quoteId: "QUOTE", attempts: 2, receivedAt: 7 }));
  const { deps } = createDeps(log);
  const stop = new AbortController();
  const options = { ...deps.options, takeoverMarginMs: 5 };
  const running = endLeftovers({ ...deps, options }, { afterMs: 5, everyMs: 2, signal: stop.signal });
  await expect.poll(() => log.view.doubts().length).toBe(1);
  stop.abort(new Error("over"));
  await expect(running).rejects.toThrow("over");

  expect(log.view.look(c1)).toMatchObject({ kind: "doubt", claim: { attemptId: "a" } });
  const conclusions = log.entries.filter(({ entry }) => entry.step.kind === "concluded");
  expect(conclusions).toHaveLength(1);
  const [step] = conclusions.map(({ entry }) => entry.step);
  expect(step?.kind === "concluded" && JSON.parse(String(step.result))).toMatchObject({
    ...{ commandId: "c1", quoteId: "QUOTE", outcome: "IN_DOUBT", final: false, attempts: 3, receivedAt: 7 },
    error: { code: "OWNER_LOST" },
  });
});
