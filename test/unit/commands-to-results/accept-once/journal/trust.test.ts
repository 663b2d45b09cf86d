import { describe, expect, it } from "vitest";
import { createTrust } from "../../../../../src/commands-to-results/accept-once/journal/trust.ts";
import { silent } from "../../../../../src/cli/silent.ts";

const judging = () => {
  const seen = { trusted: true };
  const setTrust = (yes: boolean): void => void (seen.trusted = yes);
  return { trust: createTrust({ topic: "journal", trust: setTrust }, { log: silent }), seen };
};

describe("an end that is missing", () => {
  it("counts only in three looks one after the other", () => {
    const { trust, seen } = judging();
    for (const behind of ["ends early", "ends early", null, "ends early", "ends early"]) trust.sawEnd(behind);
    expect([seen.trusted, trust.fault()]).toEqual([true, null]);
    trust.sawEnd("ends early");
    expect([seen.trusted, trust.isLost()]).toEqual([false, false]);
    expect(trust.fault()).toContain("journal ends early");
    trust.sawEnd(null);
    expect([seen.trusted, trust.fault()]).toEqual([true, null]);
  });

  it("that is found again mends no loss", () => {
    const { trust, seen } = judging();
    for (const behind of ["ends early", "ends early", "ends early"]) trust.sawEnd(behind);
    trust.lose("is another one");
    trust.sawEnd(null);
    expect(seen.trusted).toBe(false);
    expect(trust.fault()).toContain("journal is another one");
  });
});
