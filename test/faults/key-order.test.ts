import { expect, it } from "vitest";
import { flawless } from "../support/account.ts";
import { commandsUnderFault } from "../support/commands-under-fault.ts";

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

  expect(account).toMatchObject({ ...flawless(ACCEPTS), succeeded: ACCEPTS });
  const called = requests.reverse().map(({ target }) => target.split("/").at(-2)!);
  expect(called.length).toBeGreaterThan(ACCEPTS);
  for (let key = 0; key < KEYS; key++) {
    const ofKey = called
      .filter((quoteId) => quoteId.startsWith(`q-${key}-`))
      .map((quoteId) => Number(quoteId.split("-").at(-1)));
    expect(ofKey).toEqual([...ofKey].sort((a, b) => a - b));
  }
});
