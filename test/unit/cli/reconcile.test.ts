import { expect, test } from "vitest";
import { remarksOf } from "../../../src/cli/reconcile.ts";

test("a run that left out young notifications says so, although it is complete", () => {
  expect(remarksOf({ reasons: [], tooYoung: 66, held: 0 })).toEqual([
    expect.stringMatching(/66 younger than RECONCILE_MIN_AGE.*RECONCILE_MIN_AGE=0/),
  ]);
  expect(remarksOf({ reasons: [], tooYoung: 0, held: 0 })).toEqual([]);
});

test("what kept a run from being complete comes first", () => {
  expect(remarksOf({ reasons: ["it is odd"], tooYoung: 1, held: 3 })).toEqual([
    "Not complete: it is odd.",
    expect.stringMatching(/^Held back: 3.*--force/),
    expect.stringContaining("RECONCILE_MIN_AGE"),
  ]);
});
