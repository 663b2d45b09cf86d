import { describe, expect, it } from "vitest";
import type { JournalStep } from "../../../../src/commands-to-results/accept-once/entry.ts";
import { createView } from "../../../../src/commands-to-results/accept-once/view.ts";
import { accept, claimed, concluded, create, createLog, released } from "./journal.ts";

const c1 = accept("c1");
const c2 = accept("c2");
const never = new AbortController().signal;

const after = (...entries: [typeof c1, JournalStep][]) => {
  const log = createLog();
  for (const [ref, step] of entries) log.append(ref, step);
  return log.view;
};

describe("the fold", () => {
  it("lets a create be superseded while the named attempt holds it, and no later", () => {
    const ref = create("k1");
    const view = after(
      [ref, claimed("a")],
      [ref, claimed("b", { supersedes: "a" })],
      [ref, claimed("c", { supersedes: "a" })],
    );
    expect(view.holds(ref, "b")).toBe(true);
    expect(after([ref, claimed("b", { supersedes: "a" })]).look(ref)).toMatchObject({
      kind: "free",
      isTaken: false,
    });
  });

  it("ignores no execution: one that contradicts a final spends the quote, even under another's claim", () => {
    const log = createLog();
    log.append(c1, claimed("a"), concluded("a", "IN_DOUBT"), concluded("a", "FAILED"));
    log.append(c2, claimed("b"));
    expect(log.view.holds(c2, "b")).toBe(true);
    log.append(c1, concluded("a", "SUCCEEDED"));
    expect(log.view.holds(c2, "b")).toBe(false);
    expect(log.contradictions).toMatchObject([
      { ref: c1, position: { partition: 0, offset: 4 }, saysExecuted: true },
    ]);
    log.append(c2, released("b"));
    log.append(accept("c3"), claimed("d"));
    expect(log.view.look(accept("c3"))).toMatchObject({ kind: "concluded" });
  });

  it("takes what says the same as the final for no contradiction", () => {
    const log = createLog();
    log.append(c1, claimed("a"), concluded("a", "IN_DOUBT"));
    log.append(c1, concluded("a", "SUCCEEDED"), concluded("a", "SUCCEEDED"));
    expect(log.contradictions).toEqual([]);
  });

  it("tells an accept from a create with the same key", () => {
    const view = after(
      [accept("x", "same"), claimed("a")],
      [{ ...create("same"), key: "same" }, claimed("b")],
    );
    expect(view.holds(accept("x", "same"), "a")).toBe(true);
    expect(view.holds(create("same"), "b")).toBe(true);
  });
});

describe("the view", () => {
  const record = (offset: number, step: JournalStep | null = claimed(`a${offset}`)) => ({
    partition: 0,
    offset,
    timestampMs: 0,
    key: `q${offset}`,
    entry: step && { operation: "ACCEPT_QUOTE" as const, commandId: "c", step },
  });
  const begun = (startOffset: number, endOffset: number) => {
    const view = createView({ partitions: 1, partitionOf: () => 0 });
    view.begin(0, { startOffset, endOffset });
    return view;
  };

  it("is ready when it has read as far as the log reached", () => {
    const view = begun(5, 7);
    expect([view.take(record(5)), view.ready()]).toEqual(["folded", false]);
    expect([view.take(record(6)), view.ready()]).toEqual(["folded", true]);
    expect(begun(0, 0).ready()).toBe(true);
    expect(begun(9, 9).ready()).toBe(true);
  });

  it("skips what it knows, and throws everything away at a gap", () => {
    const view = begun(0, 0);
    view.take(record(0));
    expect(view.take(record(0))).toBe("old");
    expect(view.take(record(2))).toBe("gap");
    expect(view.ready()).toBe(false);
    expect(view.look(accept("c", "q0"))).toMatchObject({ kind: "free", isTaken: false });
    // What the old fetch still brings is not taken for the start of the log.
    expect(view.take(record(3))).toBe("gap");
    expect(view.nextOffset(0)).toBeNull();
    view.begin(0, { startOffset: 0, endOffset: 1 });
    expect([0, 1, 2].map((offset) => view.take(record(offset)))).toEqual(["folded", "folded", "folded"]);
    expect(view.ready()).toBe(true);
  });

  it("is unready and lets nobody call while its log is not trusted", async () => {
    const view = begun(0, 1);
    view.take(record(0));
    view.trust(false);
    expect([view.ready(), view.holds(accept("c", "q0"), "a0")]).toEqual([false, false]);
    const ready = view.untilReady(never);
    view.trust(true);
    await ready;
    expect(view.holds(accept("c", "q0"), "a0")).toBe(true);
  });

  it("is unready for good after an entry that it cannot fold", () => {
    const view = begun(0, 0);
    expect(view.take(record(0, null))).toBe("halted");
    expect(view.take(record(1))).toBe("halted");
    expect([view.ready(), view.halted()]).toEqual([false, true]);
  });

  it("lets a reader wait for its own record through a gap", async () => {
    const view = begun(0, 0);
    const waiting = view.past(accept("c", "q1"), { partition: 0, offset: 1 }, never);
    view.take(record(0));
    view.take(record(5));
    view.begin(0, { startOffset: 0, endOffset: 6 });
    view.take(record(0));
    view.take(record(1));
    await waiting;
    await view.past(accept("c", "q0"), { partition: 0, offset: 0 }, never);
  });

  it("lets nobody wait for ever", async () => {
    const view = begun(0, 3);
    const abort = new AbortController();
    const waits = [
      view.untilReady(abort.signal),
      view.changed(c1, abort.signal),
      view.past(c1, { partition: 0, offset: 0 }, abort.signal),
    ];
    abort.abort(new Error("enough"));
    for (const wait of waits) await expect(wait).rejects.toThrow("enough");
  });

  it("forgets what the log does not hold any more", () => {
    const log = createLog();
    log.append(c1, claimed("a"), concluded("a", "SUCCEEDED"));
    log.append(accept("c3", "other"), claimed("b"), concluded("b", "IN_DOUBT"));
    log.view.forgetBefore({ partition: 0, offset: 2 });
    expect(log.view.look(c1)).toMatchObject({ kind: "free", isTaken: false });
    expect(log.view.doubts()).toHaveLength(1);
    log.view.forgetBefore({ partition: 0, offset: 4 });
    expect(log.view.doubts()).toEqual([]);
  });
});
