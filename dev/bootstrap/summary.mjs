/**
 * @typedef {object} Report the part of vitest's JSON report that is counted
 * @property {number} [numPassedTests]
 * @property {TestFile[]} [testResults]
 *
 * @typedef {object} TestFile
 * @property {string} name its path
 * @property {string} status
 * @property {string} [message] why it failed outside of its tests
 * @property {{ status: string, fullName: string, failureMessages?: string[] }[]} assertionResults
 */

const MOST_OF_A_MESSAGE = 1_000;
const start = (/** @type {string} */ message) => message.slice(0, MOST_OF_A_MESSAGE);

/** @param {TestFile} file @returns {string[]} one per failure: file, test, the start of what it said */
const failuresOf = ({ name, status, message = "", assertionResults }) => {
  const failed = assertionResults.filter((one) => one.status === "failed");
  if (status === "failed" && failed.length === 0) return [`${name}: ${start(message)}`];
  return failed.map(
    ({ fullName, failureMessages = [] }) => `${name} > ${fullName}: ${start(failureMessages.join("\n"))}`,
  );
};

/**
 * Counts as one failure also a test file that fails outside of its tests (it does not load, a hook throws), and an error outside of all
 * files, so that `0 failed` means that the run succeeded.
 * @param {Report} report
 * @param {number} exitCode of vitest
 */
export function summarize({ numPassedTests = 0, testResults = [] }, exitCode) {
  const failures = testResults.flatMap(failuresOf);
  if (exitCode !== 0 && failures.length === 0)
    failures.push(`vitest ended with ${exitCode}, outside of all tests`);
  return { passed: numPassedTests, failed: failures.length, failures };
}
