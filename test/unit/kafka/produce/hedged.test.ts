import { expect, it } from "vitest";
import { hedged } from "../../../../src/kafka/produce/hedged.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";

/** Questions that are answered by hand, and a clock whose sleeps pass at once, or never. */
const scene = (atMost: number, patience: "none" | "endless") => {
  const asked: { resolve: (answer: string) => void; reject: (error: Error) => void }[] = [];
  const late: string[] = [];
  const sleep = () => (patience === "none" ? Promise.resolve() : new Promise<void>(() => undefined));
  const answer = hedged(
    { clock: { ...systemClock, sleep }, everyMs: 1, atMost },
    () => new Promise<string>((resolve, reject) => asked.push({ resolve, reject })),
    (each) => late.push(each),
  );
  return { asked, late, answer };
};

const settled = () => new Promise((resolve) => setImmediate(resolve));

it("asks once where the answer comes in time", async () => {
  const { asked, answer } = scene(4, "endless");
  asked[0]!.resolve("first");
  expect(await answer).toBe("first");
  expect(asked.length).toBe(1);
});

it("takes the first answer, whoever gives it, and hands over those that come later", async () => {
  const { asked, late, answer } = scene(3, "none");
  await settled();
  expect(asked.length).toBe(3);
  asked[2]!.resolve("third");
  expect(await answer).toBe("third");
  asked[0]!.resolve("first");
  asked[1]!.reject(new Error("too late to matter"));
  await settled();
  expect(late).toEqual(["first"]);
});

it("lets one failure pass while another question is open, and rejects with the last one", async () => {
  const { asked, answer } = scene(2, "none");
  await settled();
  asked[0]!.reject(new Error("one"));
  asked[1]!.reject(new Error("two"));
  await expect(answer).rejects.toThrow("two");
});

it("rejects at once when the only question failed", async () => {
  const { asked, answer } = scene(4, "endless");
  asked[0]!.reject(new Error("refused"));
  await expect(answer).rejects.toThrow("refused");
  expect(asked.length).toBe(1);
});
