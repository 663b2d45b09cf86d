import { expect, it } from "vitest";
import { newAccepts } from "../support/accepts.ts";
import { commandsUnderFault } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";

const WAITING = 5_000;
const OTHERS = 200;

it("answers other keys, also of the same partition, while thousands of one key wait", async () => {
  const { accepts } = await commandsUnderFault({ replicas: 1, partnerMs: 50 });
  const hot = newAccepts(WAITING).map((accept) => ({ ...accept, key: "hot" }));
  const others = newAccepts(OTHERS);
  await accepts.submit(hot);
  await eventually(() => accepts.results.size > 0, "the first of the hot key", 20_000);
  await accepts.submit(others);
  await eventually(() => others.every(accepts.isAnswered), "every result of the other keys", 20_000);

  const answered = hot.map(accepts.isAnswered);
  expect(answered.filter(Boolean).length).toBeLessThan(WAITING / 2);
  expect(answered.indexOf(false)).toBe(answered.filter(Boolean).length);
});
