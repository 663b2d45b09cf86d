/** @typedef {{ exitCode: 0 | 1 | 2, sentence: string }} Verdict 0: no vulnerability known, 1: some known, 2: not known */

/** @param {unknown} value @returns {Record<string, unknown>} */
const object = (value) =>
  typeof value === "object" && value !== null ? /** @type {Record<string, unknown>} */ (value) : {};

/** @param {string} text */
const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/**
 * What an answer of `npm audit --json` means. A registry without audits must not be taken for one that knows no vulnerability.
 * @param {string} text
 * @returns {Verdict}
 */
export function auditVerdict(text) {
  const report = object(parsed(text));
  const counts = object(object(report["metadata"])["vulnerabilities"]);
  const { total } = counts;
  if (typeof total !== "number") {
    const why = typeof report["message"] === "string" ? report["message"] : "no answer that can be read";
    return {
      exitCode: 2,
      sentence: `Not known: this registry does not answer the audit (${why}). Run \`npm run audit\` where npm reaches one that does.`,
    };
  }
  if (total === 0)
    return { exitCode: 0, sentence: "No vulnerability is known of what the package installs." };
  const names = Object.keys(object(report["vulnerabilities"])).sort().join(", ");
  const kinds = ["critical", "high", "moderate", "low", "info"]
    .filter((kind) => counts[kind])
    .map((kind) => `${String(counts[kind])} ${kind}`)
    .join(", ");
  return {
    exitCode: 1,
    sentence: `Vulnerabilities are known (${kinds}) of ${names}: \`npm audit --omit=dev\` shows them, dev/dependencies.md what would replace a package.`,
  };
}
