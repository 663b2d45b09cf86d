import { expect, it } from "vitest";
import { doubtOrphans } from "../../../../src/commands-to-results/accept-once/loops.ts";
import { accept, claimed, create, createDeps, createLog } from "./journal.ts";

const c1 = accept("c1");

/** Lets it look at the journal until the condition holds. */
const doubting = async (log: ReturnType<typeof createLog>, afterMs: number, until: () => boolean) => {
  const { deps } = createDeps(log);
  const stop = new AbortController();
  const options = { ...deps.options, takeoverMarginMs: 5 };
  const running = doubtOrphans({ ...deps, options }, { afterMs, everyMs: 2, signal: stop.signal });
  await expect.poll(until).toBe(true);
  stop.abort(new Error("over"));
  await expect(running).rejects.toThrow("over");
};

it("doubts an accept whose claim nobody ends, in the words of the claim, once", async () => {
  const log = createLog();
  log.append(c1, claimed("a", { callWithinMs: 5, quoteId: "QUOTE", attempts: 2, receivedAt: 7 }));
  await doubting(log, 5, () => log.view.doubts().length === 1);
  expect(log.view.look(c1)).toMatchObject({ kind: "doubt", claim: { attemptId: "a" } });
  const conclusions = log.entries.filter(({ entry }) => entry.step.kind === "concluded");
  expect(conclusions).toHaveLength(1);
  const [step] = conclusions.map(({ entry }) => entry.step);
  expect(step?.kind === "concluded" && JSON.parse(String(step.result))).toMatchObject({
    ...{ commandId: "c1", quoteId: "QUOTE", outcome: "IN_DOUBT", final: false, attempts: 3, receivedAt: 7 },
    error: { code: "OWNER_LOST" },
  });
});

it("leaves a claim alone whose call, or whose takeover, may be under way, and a create", async () => {
  const log = createLog();
  log.append(c1, claimed("a", { callWithinMs: 60_000 }));
  log.append(create("c2"), claimed("b", { callWithinMs: 1 }));
  log.append(accept("c3", "q3"), claimed("c", { callWithinMs: 1 }));
  await doubting(log, 5, () => log.view.doubts().length === 1);
  expect(log.view.doubts().map(({ ref }) => ref.commandId)).toEqual(["c3"]);
  expect(log.view.held().map(({ ref }) => ref.commandId)).toEqual(["c1", "c2"]);
});
