import { expect, it } from "vitest";
import { summarize } from "../../../dev/bootstrap/summary.mjs";

const file = (status: string, ...tests: string[]) => ({
  name: "some.test.ts",
  status,
  message: "does not load",
  assertionResults: tests.map((one, index) => ({
    status: one,
    fullName: `test ${index}`,
    failureMessages: one === "failed" ? ["expected 1"] : [],
  })),
});

it("counts tests", () => {
  const report = { numPassedTests: 2, testResults: [file("passed", "passed", "passed")] };
  expect(summarize(report, 0)).toEqual({ passed: 2, failed: 0, failures: [] });
});

it("counts a failed test once, and not its file", () => {
  const report = { numPassedTests: 1, testResults: [file("failed", "passed", "failed")] };
  expect(summarize(report, 1)).toEqual({
    passed: 1,
    failed: 1,
    failures: ["some.test.ts > test 1: expected 1"],
  });
});

it("counts a file that fails outside of its tests", () => {
  const report = { numPassedTests: 1, testResults: [file("passed", "passed"), file("failed")] };
  expect(summarize(report, 1)).toEqual({ passed: 1, failed: 1, failures: ["some.test.ts: does not load"] });
});

it("never says that nothing failed of a run that failed", () => {
  const failures = ["vitest ended with 1, outside of all tests"];
  expect(summarize({}, 1)).toEqual({ passed: 0, failed: 1, failures });
});
