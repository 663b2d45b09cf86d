import { expect, it } from "vitest";
import { summarize } from "../../../dev/bootstrap/summary.mjs";

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((one) => ({ status: one })),
});

it("counts tests", () => {
  const report = { numPassedTests: 2, numFailedTests: 0, testResults: [file("passed", "passed", "passed")] };
  expect(summarize(report, 0)).toEqual({ passed: 2, failed: 0 });
});

it("counts a failed test once, and not its file", () => {
  const report = { numPassedTests: 1, numFailedTests: 1, testResults: [file("failed", "passed", "failed")] };
  expect(summarize(report, 1)).toEqual({ passed: 1, failed: 1 });
});

it("counts a file that fails outside of its tests", () => {
  const report = {
    numPassedTests: 1,
    numFailedTests: 0,
    testResults: [file("passed", "passed"), file("failed")],
  };
  expect(summarize(report, 1)).toEqual({ passed: 1, failed: 1 });
});

it("never says that nothing failed of a run that failed", () => {
  expect(summarize({}, 1)).toEqual({ passed: 0, failed: 1 });
});
