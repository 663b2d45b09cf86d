import { expect, it } from "vitest";
import { hedged } from "../../../../src/kafka/kafkajs-fixes/hedged.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";

/** Requests that the test answers, and a clock whose sleeps end at once. */
const scene = (atMost: number) => {
  const asked: { resolve: (answer: string) => void; reject: (error: Error) => void }[] = [];
  const late: string[] = [];
  const sleep = () => Promise.resolve();
  const answer = hedged(
    { clock: { ...systemClock, sleep }, everyMs: 1, atMost },
    () => new Promise<string>((resolve, reject) => asked.push({ resolve, reject })),
    (each) => late.push(each),
  );
  return { asked, late, answer };
};

const settled = () => new Promise((resolve) => setImmediate(resolve));

it("takes the first answer, and discards the later ones", async () => {
  const { asked, late, answer } = scene(3);
  await settled();
  expect(asked.length).toBe(3);
  asked[2]!.resolve("third");
  expect(await answer).toBe("third");
  asked[0]!.resolve("first");
  asked[1]!.reject(new Error("too late to matter"));
  await settled();
  expect(late).toEqual(["first"]);
});

it("ignores a failure while another request is open, and rejects with the last failure", async () => {
  const { asked, answer } = scene(2);
  await settled();
  asked[0]!.reject(new Error("one"));
  asked[1]!.reject(new Error("two"));
  await expect(answer).rejects.toThrow("two");
});
