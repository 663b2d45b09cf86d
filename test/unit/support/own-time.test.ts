import { expect, it } from "vitest";
import { timed } from "../../support/own-time.ts";

const sleep = (ms: number): Promise<string> =>
  new Promise((resolve) => setTimeout(() => resolve("done"), ms));

it("counts what something took, and not the time in which this process stood still", async () => {
  const busy = sleep(100).then((value) => {
    for (const until = performance.now() + 500; performance.now() < until;);
    return sleep(100).then(() => value);
  });
  const { value, ms } = await timed(busy);
  expect(value).toBe("done");
  expect(ms).toBeGreaterThan(150);
  expect(ms).toBeLessThan(650);
});
