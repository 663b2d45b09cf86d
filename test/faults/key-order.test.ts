import { afterEach, expect, it } from "vitest";
import { flawless } from "../support/account.ts";
import { sendAccepts } from "../support/accepts.ts";
import { sharedCluster } from "../support/cluster.ts";
import { commandsWorld } from "../support/commands-world.ts";
import type { World } from "../support/world.ts";

const ACCEPTS = 600;
const KEYS = 20;

let world: World | undefined;
afterEach(async () => world?.close());

it("calls the partner in the order of each key, and for many keys at once", async () => {
  const opened = await commandsWorld(sharedCluster(), { replicas: 2, partnerMs: 20 });
  world = opened.world;
  // Every third is refused at first and tried again: what comes behind it has to wait.
  await world.sandbox("/_sandbox/faults", {
    operation: "accept",
    kind: "throttle",
    retryAfter: "0",
    probability: 0.3,
  });
  const books = await sendAccepts(world, opened.brokers);
  await books.submit(
    Array.from({ length: ACCEPTS }, (_, nth) => ({
      commandId: `c-${nth}`,
      quoteId: `q-${nth % KEYS}-${nth}`,
      key: `key-${nth % KEYS}`,
    })),
  );
  const account = await books.settle(60_000);
  const { requests } = await world.sandbox<{ requests: { target: string }[] }>(
    `/_sandbox/state?only=requests&limit=5000`,
  );
  await books.stop();

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
