import { expect, test } from "vitest";
import { auditVerdict } from "../../../dev/bootstrap/audit-verdict.mjs";

const report = (counts: Record<string, number>, vulnerabilities = {}): string =>
  JSON.stringify({ auditReportVersion: 2, vulnerabilities, metadata: { vulnerabilities: counts } });

test("nothing is known", () => {
  expect(auditVerdict(report({ high: 0, total: 0 }))).toMatchObject({ exitCode: 0 });
});

test("what is known is counted and named", () => {
  const { exitCode, sentence } = auditVerdict(report({ high: 1, low: 2, total: 3 }, { b: {}, a: {} }));
  expect(exitCode).toBe(1);
  expect(sentence).toContain("(1 high, 2 low) of a, b");
});

test.each(['{"message":"405 Method Not Allowed","statusCode":405,"error":{}}', "", "<html>", "null", "{}"])(
  "a registry that does not answer is not one that knows of nothing: %s",
  (text) => {
    const { exitCode, sentence } = auditVerdict(text);
    expect(exitCode).toBe(2);
    expect(sentence).toMatch(/^Not known: /);
  },
);
