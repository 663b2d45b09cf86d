import { expect, it } from "vitest";
import { newAccepts, type Accept } from "../support/accepts.ts";
import { correctTally } from "../support/accept-tally.ts";
import { commandsUnderFault } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";

const ACCEPTS = 600;
const KEYS = 20;

it("calls the partner in the order of each key, and for many keys at once", async () => {
  const { world, accepts } = await commandsUnderFault({ replicas: 2, partnerMs: 20 });
  // Every third is refused at first and tried again: what comes behind it has to wait.
  await world.sandbox("/_sandbox/faults", {
    operation: "accept",
    kind: "throttle",
    retryAfter: "0",
    probability: 0.3,
  });
  await accepts.submit(
    Array.from({ length: ACCEPTS }, (_, nth) => ({
      commandId: `c-${nth}`,
      quoteId: `q-${nth % KEYS}-${nth}`,
      key: `key-${nth % KEYS}`,
    })),
  );
  const account = await accepts.settle(60_000);
  const { requests } = await world.sandbox<{ requests: { target: string }[] }>(
    `/_sandbox/state?only=requests&limit=5000`,
  );

  expect(account).toMatchObject({ ...correctTally(ACCEPTS), succeeded: ACCEPTS });
  const called = requests.reverse().map(({ target }) => target.split("/").at(-2)!);
  expect(called.length).toBeGreaterThan(ACCEPTS);
  for (let key = 0; key < KEYS; key++) {
    const ofKey = called
      .filter((quoteId) => quoteId.startsWith(`q-${key}-`))
      .map((quoteId) => Number(quoteId.split("-").at(-1)));
    expect(ofKey).toEqual([...ofKey].sort((a, b) => a - b));
  }
});

const WAITING = 5_000;
const OTHERS = 200;

it("answers other keys, also of the same partition, while thousands of one key wait", async () => {
  const { accepts } = await commandsUnderFault({ replicas: 1, partnerMs: 50 });
  const hot = newAccepts(WAITING).map((accept) => ({ ...accept, key: "hot" }));
  const others = newAccepts(OTHERS);
  await accepts.submit(hot);
  await eventually(() => accepts.results.size > 0, "the first of the hot key", 20_000);
  await accepts.submit(others);
  const isAnswered = ({ commandId }: Accept): boolean => accepts.results.has(commandId);
  await eventually(() => others.every(isAnswered), "every result of the other keys", 20_000);

  const answered = hot.map(isAnswered);
  expect(answered.filter(Boolean).length).toBeLessThan(WAITING / 2);
  expect(answered.indexOf(false)).toBe(answered.filter(Boolean).length);
});
