import { describe, expect, it } from "vitest";
import { republish } from "../../../../src/commands-to-results/journal/republish.ts";
import type { Decision } from "../../../../src/commands-to-results/journal/resolve.ts";
import { createFinder, resolve } from "../../../../src/commands-to-results/journal/resolve.ts";
import type { Step } from "../../../../src/commands-to-results/journal/entry.ts";
import { finalResultId } from "../../../simulation/bridge-parts.ts";
import { accept, claimed, concluded, createDeps, createLog, itemOf } from "./journal.ts";

const c1 = accept("c1");
const never = new AbortController().signal;
const decision: Decision = { as: "not-executed", by: "Ana", note: "not in the books", force: true };

const doubted = () => {
  const log = createLog();
  const { deps, results } = createDeps(log);
  const conclusion = (outcome: "IN_DOUBT" | "SUCCEEDED"): Step => {
    const facts = { identity: itemOf(c1).identity, receivedAt: 0, completedAt: 0, attempts: 1 };
    const verdict = { outcome, error: null, decidedBy: "PARTNER" as const, answer: null };
    const result = deps.conclude(facts, verdict);
    return {
      ...concluded("a", outcome),
      result: deps.codec.encode(result),
      resultId: result.resultId,
    } as Step;
  };
  log.append(c1, claimed("a"), conclusion("IN_DOUBT"));
  return { log, results, conclusion, deps: { ...deps, finalResultId } };
};

describe("resolve", () => {
  it.each([
    ["not-executed", "FAILED", "OPERATOR_DECISION"],
    ["succeeded", "SUCCEEDED", undefined],
  ] as const)("ends a doubt as %s", async (as, outcome, code) => {
    const { deps, results, log } = doubted();
    const end = await resolve(deps, c1, { ...decision, as }, never);
    expect(end).toMatchObject({ kind: "resolved", result: { outcome, final: true, decidedBy: "OPERATOR" } });
    expect("result" in end && end.result?.error?.code).toBe(code);
    expect(results).toEqual([`c1 ${outcome}`]);
    expect(log.view.unpublished()).toEqual([]);
    expect(log.entries[2]?.entry.step).toMatchObject({ attemptId: "a", note: "Ana: not in the books" });
  });

  it("refuses while the call may still be under way, unless forced", async () => {
    const { deps, log } = doubted();
    const end = await resolve(deps, c1, { ...decision, force: false }, never);
    expect(end).toMatchObject({ kind: "tooYoung", neededMs: 20_000 });
    expect(log.entries).toHaveLength(2);
  });

  it("prints the decision that stands, also when it came in between", async () => {
    const { deps, log, conclusion, results } = doubted();
    const { append } = deps.journal;
    deps.journal = {
      ...deps.journal,
      append: (key, entry) => {
        if (log.entries.length === 2) log.append(c1, conclusion("SUCCEEDED"));
        return append(key, entry);
      },
    };
    const end = await resolve(deps, c1, decision, never);
    expect(end).toMatchObject({ kind: "decided", result: { outcome: "SUCCEEDED", decidedBy: "PARTNER" } });
    expect(results).toEqual(["c1 SUCCEEDED"]);
    expect(await resolve(deps, c1, decision, never)).toEqual(end);
  });

  it("does not know a command that is not in doubt", async () => {
    const { deps, log } = doubted();
    expect(await resolve(deps, accept("c9"), decision, never)).toEqual({ kind: "unknown" });
    log.append(accept("c8", "q8"), claimed("b"));
    expect(await resolve(deps, accept("c8", "q8"), decision, never)).toEqual({ kind: "underWay" });
  });

  it("finds a command's places in the journal", () => {
    const finder = createFinder("c1");
    const entry = { operation: "ACCEPT_QUOTE" as const, commandId: "c1", step: claimed("a") };
    const record = { partition: 0, offset: 0, timestampMs: 0, key: "quote", entry };
    finder.take(record);
    finder.take({ ...record, offset: 1 });
    finder.take({ ...record, key: "other", entry: { ...entry, commandId: "c2" } });
    expect(finder.refs()).toEqual([c1]);
  });
});

describe("republish", () => {
  it("publishes a final that nobody published, once it is old enough", async () => {
    const { deps, log, results, conclusion } = doubted();
    log.append(c1, conclusion("SUCCEEDED"));
    const stop = new AbortController();
    const running = republish(deps, { afterMs: 10, everyMs: 2, signal: stop.signal });
    await expect.poll(() => log.view.unpublished()).toEqual([]);
    stop.abort(new Error("over"));
    await expect(running).rejects.toThrow("over");
    expect(results).toEqual(["c1 SUCCEEDED"]);
  });
});
