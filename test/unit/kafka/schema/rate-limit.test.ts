import { expect, it } from "vitest";
import { rateLimited, shared } from "../../../../src/kafka/schema/rate-limit.ts";

/** A clock that only sleeping advances, and the times of the calls. */
const pacing = (perSecond: number) => {
  let now = 0;
  const times: number[] = [];
  const clock = {
    monotonic: () => now,
    sleep: (ms: number) => {
      const until = now + ms;
      return Promise.resolve().then(() => void (now = Math.max(now, until)));
    },
  };
  const ask = shared(
    rateLimited(
      (key: number) => {
        times.push(now);
        return key < 0 ? Promise.reject(new Error("no")) : Promise.resolve(key);
      },
      { perSecond, clock },
    ),
  );
  return { ask, times, clock };
};

it("allows a burst of one second, then keeps the rate, in order", async () => {
  const { ask, times } = pacing(10);
  const keys = Array.from({ length: 40 }, (_, key) => key);
  expect(await Promise.all(keys.map(ask))).toEqual(keys);
  expect(times.filter((time) => time === 0)).toHaveLength(11);
  expect(times.at(-1)).toBe(2_900);
});

it("shares one call among concurrent callers of a key, failures too, and caches nothing", async () => {
  const { ask, times } = pacing(10);
  const settled = await Promise.allSettled([ask(1), ask(1), ask(-1), ask(-1)]);
  expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "rejected"]);
  expect(times).toHaveLength(2);
  await ask(1);
  expect(times).toHaveLength(3);
});
