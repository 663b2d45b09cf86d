/**
 * @typedef {object} Report the part of vitest's JSON report that is counted
 * @property {number} [numPassedTests]
 * @property {number} [numFailedTests]
 * @property {{ status: string, assertionResults: { status: string }[] }[]} [testResults] one per test file
 */

/**
 * Counts a test file that fails outside of its tests (it does not load, a hook throws) as one failure, and a run that fails for any other
 * reason (an error outside of all tests) as one too: `0 failed` is only said of a run that succeeded.
 * @param {Report} report
 * @param {number} exitCode of vitest
 */
export function summarize({ numPassedTests = 0, numFailedTests = 0, testResults = [] }, exitCode) {
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && assertionResults.every((one) => one.status !== "failed"),
  ).length;
  const failed = numFailedTests + brokenFiles;
  return { passed: numPassedTests, failed: exitCode === 0 ? failed : Math.max(failed, 1) };
}
