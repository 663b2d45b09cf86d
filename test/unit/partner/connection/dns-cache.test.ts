import { expect, it } from "vitest";
import { dnsCache } from "../../../../src/partner/connection/dns-cache.ts";

const setUp = (answers: { address: string; family: number }[][]) => {
  let now = 0;
  const asked: string[] = [];
  const resolve = (host: string) => {
    asked.push(host);
    const answer = answers.shift();
    return answer ? Promise.resolve(answer) : Promise.reject(new Error("ENOTFOUND"));
  };
  const lookup = dnsCache({ monotonic: () => now }, resolve);
  const ask = (host = "partner.example") =>
    new Promise((resolve, reject) => {
      lookup(host, { all: true }, (error, addresses) => {
        if (error) reject(error);
        else resolve(addresses);
      });
    });
  return { ask, asked, pass: (ms: number) => (now += ms) };
};

const one = [{ address: "192.0.2.1", family: 4 }];
const two = [{ address: "2001:db8::2", family: 6 }, ...one];

it("asks once for those who ask together, and again when the answer is old", async () => {
  const { ask, asked, pass } = setUp([one, two]);
  expect(await Promise.all([ask(), ask()])).toEqual([one, one]);
  pass(4_999);
  expect(await ask()).toEqual(one);
  expect(asked).toHaveLength(1);
  pass(1);
  expect(await ask()).toEqual(two);
  expect(asked).toHaveLength(2);
});

it("does not keep a failure", async () => {
  const { ask, asked } = setUp([]);
  await expect(ask()).rejects.toThrow("ENOTFOUND");
  await expect(ask()).rejects.toThrow("ENOTFOUND");
  expect(asked).toHaveLength(2);
});
