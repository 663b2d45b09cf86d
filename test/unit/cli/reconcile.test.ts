import { expect, test } from "vitest";
import { remarksOf } from "../../../src/cli/reconcile.ts";

test("what kept a run from being complete comes first, then what it left out although it is complete", () => {
  expect(remarksOf({ reasons: ["it is odd"], tooYoung: 66, held: 3 })).toEqual([
    "Not complete: it is odd.",
    expect.stringMatching(/^Held back: 3.*--force/),
    expect.stringMatching(/66 younger than RECONCILE_MIN_AGE.*RECONCILE_MIN_AGE=0/),
  ]);
  expect(remarksOf({ reasons: [], tooYoung: 0, held: 0 })).toEqual([]);
});
