import { expect, it } from "vitest";
import { buildResult } from "../../../../src/commands-to-results/build-result.ts";
import type { Decision } from "../../../../src/commands-to-results/accept-once/resolve.ts";
import { endLeftovers } from "../../../../src/commands-to-results/accept-once/loops.ts";
import { resolvableAtMs, endInJournal } from "../../../../src/commands-to-results/accept-once/resolve.ts";
import type { JournalStep } from "../../../../src/commands-to-results/accept-once/entry.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import type { RecordPosition } from "../../../../src/runtime/record-position.ts";
import { accept, claimed, concluded, createDeps, createLog, itemOf } from "./journal.ts";

const c1 = accept("c1");
const never = new AbortController().signal;
const decision: Decision = {
  as: "not-executed",
  by: "Ana",
  note: "not in the books",
  force: true,
  transactionId: null,
};

/** @param machineMs how far the clock of the operator's machine is ahead of the log's */
const doubted = ({ machineMs = 0, callWithinMs = 1_000 } = {}) => {
  let logMs = 1_800_000_000_000;
  const log = createLog(() => logMs);
  const { deps, results } = createDeps(log, {
    clock: { ...systemClock, now: () => logMs + machineMs },
  });
  const conclusion = (outcome: "IN_DOUBT" | "SUCCEEDED"): JournalStep => {
    const facts = { identity: itemOf(c1).identity, receivedAt: 0, completedAt: 0, attempts: 1 };
    const error = outcome === "IN_DOUBT" ? { code: "ANSWER_LOST" as const, message: "cut" } : null;
    const verdict = { outcome, error, decidedBy: "PARTNER" as const, answer: null };
    const result = buildResult(facts, verdict);
    return {
      ...concluded("a", outcome),
      result: deps.codec.encode(result),
      resultId: result.resultId,
    } as JournalStep;
  };
  log.append(c1, { ...claimed("a"), callWithinMs } as JournalStep, conclusion("IN_DOUBT"));
  return {
    log,
    results,
    conclusion,
    deps: {
      ...deps,
      timeOf: ({ offset }: RecordPosition) => log.entries[offset]?.timestampMs ?? null,
      olderElsewhere: () => [],
    },
    later: (ms: number): void => void (logMs += ms),
  };
};

it.each([
  ["not-executed", "FAILED", "OPERATOR_DECISION"],
  ["succeeded", "SUCCEEDED", undefined],
] as const)("ends a doubt as %s", async (as, outcome, code) => {
  const { deps, results, log } = doubted();
  const end = await endInJournal(deps, c1, { ...decision, as }, never);
  expect(end).toMatchObject({ kind: "resolved", result: { outcome, final: true, decidedBy: "OPERATOR" } });
  expect("result" in end && end.result?.error?.code).toBe(code);
  expect(results).toEqual([`c1 ${outcome}`]);
  expect(log.view.unpublished()).toEqual([]);
  expect(log.entries[2]?.entry.step).toMatchObject({ attemptId: "a", note: "Ana: not in the books" });
});

it("tells two people who decide alike in the same millisecond whose decision stands", async () => {
  const { deps, log } = doubted();
  const people = ["Ana", "Bob"].map((by) => endInJournal(deps, c1, { ...decision, by }, never));
  const kinds = (await Promise.all(people)).map(({ kind }) => kind);
  expect(kinds.sort()).toEqual(["decided", "resolved"]);
  expect(log.entries.filter(({ entry }) => entry.step.kind === "concluded")).toHaveLength(3);
});

it("takes the time from an entry that changes nothing, whatever came in between", async () => {
  const { deps, log, later, conclusion } = doubted();
  later(900_000);
  const state = () => JSON.stringify([log.view.look(c1), log.view.unpublished(), log.view.count()]);
  const before = state();
  const { append } = deps.journal;
  let appended = 0;
  deps.journal = {
    ...deps.journal,
    append: async (ref, step) => {
      const written = await append(ref, step);
      if (++appended > 1) return written;
      expect(step.kind).toBe("released");
      expect(state(), "a marker changes nothing").toBe(before);
      log.append(c1, conclusion("SUCCEEDED"));
      return written;
    },
  };
  const end = await endInJournal(deps, c1, { ...decision, force: false }, never);
  expect(end).toMatchObject({ kind: "decided", result: { outcome: "SUCCEEDED", decidedBy: "PARTNER" } });
  expect(log.entries, "claim, doubt, marker, the late answer").toHaveLength(4);
});

it.each([100, 20_000, 45_000, 60_000])(
  "needs a claim that is 20 times %i ms old, and 15 minutes at least, as it says of it before",
  async (callWithinMs) => {
    const { deps, log, later } = doubted({ callWithinMs });
    const patient = { ...decision, force: false };
    const [doubt] = log.view.doubts();
    const neededMs = resolvableAtMs(doubt!.claim) - doubt!.claim.timestampMs;
    expect(neededMs).toBe(Math.max(20 * callWithinMs, 900_000));
    later(neededMs - 1);
    expect(await endInJournal(deps, c1, patient, never)).toMatchObject({ kind: "tooYoung" });
    later(1);
    expect(await endInJournal(deps, c1, patient, never)).toMatchObject({ kind: "resolved" });
  },
);

it("calls a claim young when nobody can tell when its own entry was appended", async () => {
  const { deps, later } = doubted();
  later(60_000);
  const end = await endInJournal({ ...deps, timeOf: () => null }, c1, { ...decision, force: false }, never);
  expect(end).toMatchObject({ kind: "tooYoung" });
});

it("waits for the schema of a result that an older version wrote", async () => {
  const { deps } = doubted();
  const { codec } = deps;
  let asked = 0;
  const decode: typeof codec.decode = (value) => {
    if (++asked === 1) throw new Error("the schema of an earlier result is being asked for");
    return codec.decode(value);
  };
  const end = await endInJournal({ ...deps, codec: { ...codec, decode } }, c1, decision, never);
  expect(end).toMatchObject({ kind: "resolved" });
});

it("rejects when the journal begins anew before the decision is read back: it may have been written", async () => {
  const { deps, log, results } = doubted();
  const view: typeof deps.view = {
    ...log.view,
    look: (ref) =>
      log.entries.length < 3 ? log.view.look(ref) : { kind: "free", isTaken: false, isNamedElsewhere: false },
  };
  await expect(endInJournal({ ...deps, view }, c1, decision, never)).rejects.toThrow("began anew");
  expect(results).toEqual([]);
});

it("frees the quote and publishes nothing where the commandId has its final result for another quote", async () => {
  const { deps, log, results, conclusion } = doubted();
  log.append(accept("c1", "other"), claimed("b"), {
    ...conclusion("SUCCEEDED"),
    attemptId: "b",
  } as JournalStep);
  const end = await endInJournal(deps, c1, decision, never);
  expect(end).toMatchObject({ kind: "resolved", isPublished: false, result: { outcome: "FAILED" } });
  expect([results, log.view.unpublished(), log.view.doubts()]).toEqual([[], [], []]);
  expect(log.view.look(accept("c2"))).toMatchObject({ kind: "free", isTaken: false });
});

it.each(["a quote", "z quote"])(
  "publishes one of two decisions, if the older one's was not published: %s",
  async (key) => {
    const { deps, log, results, conclusion } = doubted();
    const younger = accept("c1", key);
    log.append(younger, claimed("b"), { ...conclusion("IN_DOUBT"), attemptId: "b" } as JournalStep);
    const publish = (): Promise<never> => new Promise(() => undefined);
    void endInJournal({ ...deps, publish }, c1, decision, never);
    await expect.poll(() => log.view.unpublished().length).toBe(1);
    await endInJournal({ ...deps, olderElsewhere: () => [c1] }, younger, { ...decision, by: "Bob" }, never);
    const stop = new AbortController();
    const running = endLeftovers(deps, { afterMs: 0, everyMs: 2, signal: stop.signal });
    await expect.poll(() => log.view.unpublished()).toEqual([]);
    stop.abort(new Error("over"));
    await expect(running).rejects.toThrow("over");
    expect(results).toEqual(["c1 FAILED"]);
  },
);

it("does not know a command that is not in doubt", async () => {
  const { deps, log } = doubted();
  expect(await endInJournal(deps, accept("c9"), decision, never)).toEqual({ kind: "unknown" });
  log.append(accept("c8", "q8"), claimed("b"));
  expect(await endInJournal(deps, accept("c8", "q8"), decision, never)).toEqual({ kind: "underWay" });
});
