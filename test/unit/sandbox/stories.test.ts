import { expect, test } from "vitest";
import { startSandbox } from "../../../src/sandbox/start.ts";
import { storyNames, type StoryName } from "../../../src/sandbox/stories.ts";
import { clientOf } from "./client.ts";
import { manualClock } from "./manual-clock.ts";
import { openSandbox } from "./open.ts";

const dayMs = 86_400_000;
const start = Date.parse("2026-01-05T12:00:00Z");

/** Plays a story on a clock of its own, and tells everything about it but what depends on the network. */
const play = async (story: StoryName, seed: string) => {
  const clock = manualClock(start);
  const sandbox = await startSandbox({ story, seed, clock, webhookUrls: ["http://127.0.0.1:9/"] });
  const client = clientOf(sandbox.url);
  clock.advance(dayMs / 2);
  type State = {
    quotes: unknown[];
    transactions: { statuses: { status: string }[] }[];
    deliveries: { body: string; state: string }[];
  };
  const { quotes, transactions, deliveries } = await client.control<State>("GET", "state");
  await sandbox.close();
  return { quotes, transactions, notified: deliveries.map(({ body, state }) => [body, state === "dropped"]) };
};

test.each(storyNames)("story %s: the same seed gives the same run, another one does not", async (story) => {
  const first = await play(story, "seed");
  expect(await play(story, "seed")).toEqual(first);
  expect(await play(story, "other")).not.toEqual(first);
});

const lastStatuses = async (story: StoryName) =>
  (await play(story, "seed")).transactions.map(({ statuses }) => statuses.at(-1)?.status);

test("each story ends as it says", async () => {
  expect(await lastStatuses("happy-outbound")).toEqual(["TRANSACTION_COMPLETED"]);
  expect(await lastStatuses("inbound")).toEqual(["TRANSACTION_COMPLETED"]);
  expect(await lastStatuses("refund")).toEqual(["REFUNDED"]);
  const lost = await play("lost-webhooks", "seed");
  const dropped = lost.notified.filter(([, isDropped]) => isDropped).length;
  expect(lost.notified).toHaveLength(60);
  expect(dropped).toBeGreaterThan(5);
  expect(dropped).toBeLessThan(40);
});

test("flaky-accepts leaves open quotes, whose accepts fail in several ways", async () => {
  const sandbox = await startSandbox({ story: "flaky-accepts", seed: "seed" });
  const client = clientOf(sandbox.url);
  expect(sandbox.storyQuoteIds).toHaveLength(10);
  const outcomes = new Set<number | string>();
  for (const quoteId of sandbox.storyQuoteIds)
    outcomes.add(
      await client.accept(quoteId).then(
        ({ status }) => status,
        () => "reset",
      ),
    );
  await sandbox.close();
  expect(outcomes.size).toBeGreaterThanOrEqual(3);
});

test("a story with a seed begins on a fixed morning; a seed alone leaves the clock alone", async () => {
  const startedAt = async (options: object) => {
    const client = await openSandbox(options);
    return (await client.control<{ settings: { startedAt: string } }>("GET", "state")).settings.startedAt;
  };
  expect(await startedAt({ story: "inbound", seed: "s" })).toBe("2026-01-05T12:00:00.000Z");
  expect(await startedAt({ seed: "s" })).not.toBe("2026-01-05T12:00:00.000Z");
});
