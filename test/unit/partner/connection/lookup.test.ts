import { describe, expect, it } from "vitest";
import { lookupFor } from "../../../../src/partner/connection/lookup.ts";

const setUp = (answers: { address: string; family: number }[][]) => {
  let now = 0;
  let asked = 0;
  const lookup = lookupFor({
    clock: { monotonic: () => now },
    resolve: () => {
      const answer = answers[asked++];
      return answer ? Promise.resolve(answer) : Promise.reject(new Error("ENOTFOUND"));
    },
  });
  const ask = (all: boolean) =>
    new Promise((resolve, reject) => {
      lookup("partner.example", { all }, (error, address, family) => {
        if (error) reject(error);
        else resolve(all ? address : [address, family]);
      });
    });
  return { ask, asked: () => asked, pass: (ms: number) => (now += ms) };
};

describe("lookup", () => {
  const one = [{ address: "192.0.2.1", family: 4 }];
  const two = [{ address: "2001:db8::2", family: 6 }, ...one];

  it("asks once for those who ask together, and again when the answer is old", async () => {
    const { ask, asked, pass } = setUp([one, two]);
    expect(await Promise.all([ask(true), ask(false)])).toEqual([one, ["192.0.2.1", 4]]);
    pass(4_999);
    await ask(true);
    expect(asked()).toBe(1);
    pass(1);
    expect(await ask(false)).toEqual(["2001:db8::2", 6]);
    expect(asked()).toBe(2);
  });

  it("does not remember a failure", async () => {
    const { ask } = setUp([[]]);
    await expect(ask(false)).rejects.toThrow("no address");
    const failing = setUp([]);
    await expect(failing.ask(true)).rejects.toThrow("ENOTFOUND");
    await expect(failing.ask(true)).rejects.toThrow("ENOTFOUND");
    expect(failing.asked()).toBe(2);
  });
});
