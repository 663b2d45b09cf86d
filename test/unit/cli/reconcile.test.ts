import { expect, test } from "vitest";
import { remarksOf } from "../../../src/cli/reconcile.ts";

test("a run that left out young notifications says so, although it is complete", () => {
  expect(remarksOf({ result: "complete", reasons: [], tooYoung: 66 })).toEqual([
    expect.stringMatching(/66 younger than RECONCILE_MIN_AGE.*RECONCILE_MIN_AGE=0/),
  ]);
  expect(remarksOf({ result: "complete", reasons: [], tooYoung: 0 })).toEqual([]);
});

test("what kept a run from being complete comes first", () => {
  expect(remarksOf({ result: "suspicious", reasons: ["it is odd"], tooYoung: 1 })).toEqual([
    "Not complete: it is odd.",
    expect.stringContaining("--force"),
    expect.stringContaining("RECONCILE_MIN_AGE"),
  ]);
});
