import { describe, expect, it } from "vitest";
import { chooseDoubts, createCommandFinder } from "../../../src/operate/resolve/find-doubt.ts";
import type { Ref } from "../../../src/commands-to-results/accept-once/entry.ts";
import {
  accept,
  claimed,
  concluded,
  create,
  createLog,
  released,
} from "../commands-to-results/accept-once/journal.ts";

const [q1, q2, q3] = ["q1", "q2", "q3"].map((key) => accept("c1", key)) as [Ref, Ref, Ref];
const doubt = (attemptId: string) => [claimed(attemptId), concluded(attemptId, "IN_DOUBT")];

describe("a finder", () => {
  const finder = createCommandFinder("c1");
  const entry = { operation: "ACCEPT_QUOTE" as const, commandId: "c1", step: claimed("a") };
  const record = { partition: 0, offset: 0, timestampMs: 7, key: "quote", entry };
  finder.take(record);
  finder.take({ ...record, offset: 1, timestampMs: 8, entry: { ...entry, step: released("b") } });
  finder.take({ ...record, offset: 2, key: "other", entry: { ...entry, commandId: "c2" } });
  finder.take({ ...record, offset: 3, entry: null });

  it("finds a command's places in the journal", () => {
    expect(finder.refs()).toEqual([accept("c1")]);
  });
  it("knows when its entries were appended", () => {
    const times = [0, 1, 2, 3].map((offset) => finder.timeOf({ partition: 0, offset }));
    expect(times).toEqual([7, 8, null, null]);
    expect(finder.timeOf({ partition: 1, offset: 0 })).toBeNull();
  });
});

describe("which of a command's places is meant", () => {
  it("the one that is in doubt", () => {
    const { view, append } = createLog();
    append(q1, claimed("a"), concluded("a", "SUCCEEDED"));
    append(q2, ...doubt("b"));
    append(q3, claimed("c"));
    expect(chooseDoubts([q1, q2, q3], view.look, null)).toEqual([q2]);
  });
  it("none of two that are in doubt, unless one of them is named", () => {
    const { view, append } = createLog();
    append(q1, ...doubt("a"));
    append(q2, ...doubt("b"));
    append(q3, claimed("c"), concluded("c", "SUCCEEDED"));
    expect(chooseDoubts([q1, q2, q3], view.look, null)).toEqual([q1, q2]);
    expect(chooseDoubts([q1, q2, q3], view.look, "q1")).toEqual([q1]);
    expect(chooseDoubts([q1, q2, q3], view.look, "q2")).toEqual([q2]);
    expect(chooseDoubts([q1, q2, q3], view.look, "q3"), "what stands is told").toEqual([q3]);
  });
  it("no other than the one that is named", () => {
    const { view, append } = createLog();
    append(q1, ...doubt("a"));
    expect(chooseDoubts([q1], view.look, "q9")).toEqual([]);
  });
  it("a create has no quote, though its key may look like one", () => {
    const { view, append } = createLog();
    append(create("c1"), claimed("a"));
    expect(chooseDoubts([create("c1")], view.look, "c1")).toEqual([]);
    expect(chooseDoubts([create("c1")], view.look, null)).toEqual([create("c1")]);
  });
  it("not one that came to nothing, as where the commandId was used again for another quote", () => {
    const { view, append } = createLog();
    append(q1, claimed("a"), released("a"));
    append(q2, claimed("b"), concluded("b", "FAILED"));
    expect(chooseDoubts([q1, q2], view.look, null)).toEqual([q2]);
  });
  it("where none is in doubt, the one that may yet be", () => {
    const { view, append } = createLog();
    append(q1, claimed("a"), concluded("a", "SUCCEEDED"));
    append(q2, claimed("b"));
    expect(chooseDoubts([q1, q2], view.look, null)).toEqual([q2]);
    expect(chooseDoubts([q1], view.look, null)).toEqual([q1]);
  });
});
