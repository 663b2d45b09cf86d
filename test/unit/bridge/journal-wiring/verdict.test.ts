import { describe, expect, it } from "vitest";
import { createVerdict } from "../../../../src/bridge/journal-wiring/verdict.ts";
import { silent } from "../../../../src/cli/silent.ts";

const judging = () => {
  const seen = { trusted: true };
  const trust = (yes: boolean): void => void (seen.trusted = yes);
  return { verdict: createVerdict({ topic: "journal", trust }, { log: silent }), seen };
};

describe("an end that is missing", () => {
  it("counts only in three looks one after the other", () => {
    const { verdict, seen } = judging();
    for (const behind of ["ends early", "ends early", null, "ends early", "ends early"])
      verdict.sawEnd(behind);
    expect([seen.trusted, verdict.fault()]).toEqual([true, null]);
    verdict.sawEnd("ends early");
    expect([seen.trusted, verdict.isLost()]).toEqual([false, false]);
    expect(verdict.fault()).toContain("journal ends early");
    verdict.sawEnd(null);
    expect([seen.trusted, verdict.fault()]).toEqual([true, null]);
  });

  it("that is found again mends no loss", () => {
    const { verdict, seen } = judging();
    for (const behind of ["ends early", "ends early", "ends early"]) verdict.sawEnd(behind);
    verdict.lose("is another one");
    verdict.sawEnd(null);
    expect(seen.trusted).toBe(false);
    expect(verdict.fault()).toContain("journal is another one");
  });
});
