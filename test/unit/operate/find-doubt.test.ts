import { describe, expect, it } from "vitest";
import { chooseDoubts } from "../../../src/operate/resolve/find-doubt.ts";
import type { Ref } from "../../../src/commands-to-results/accept-once/entry.ts";
import {
  accept,
  claimed,
  concluded,
  create,
  createLog,
  released,
} from "../commands-to-results/accept-once/journal.ts";

const [q1, q2] = ["q1", "q2"].map((key) => accept("c1", key)) as [Ref, Ref];

describe("which of a command's places is meant", () => {
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
