import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { tallyAccepts, correctTally } from "../support/accept-tally.ts";
import { messageOf, newAccepts } from "../support/accepts.ts";
import { openCommandsWorld } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";
import { decodeResult, type Result } from "../support/result.ts";
import { committedTotal, endTotal } from "../support/kafka.ts";
import { onAllBrokers, threeBrokers, type Broker } from "../support/three-brokers.ts";
import { claimBook } from "./storm/open-claims.ts";

const ACCEPTS = 3_000;
const LATER = 200;
const IN_FLIGHT = 16;
const REPLICAS = 2;
/** Long after the cluster has found another leader. */
const FROZEN_MS = 20_000;

const kafka = threeBrokers();

type Command = { commandId: string; request: { quoteId: string } };

const faults: { name: string; strike: (leader: Broker) => Promise<unknown> }[] = [
  {
    name: "killed",
    strike: async (leader) => {
      await leader.kill();
      await leader.start();
    },
  },
  {
    name: "frozen",
    strike: async (leader) => {
      leader.freeze();
      await sleep(FROZEN_MS);
      leader.resume();
    },
  },
];

it.each(faults)("executes no accept twice and answers each one with a broker $name", async (fault) => {
  const { world } = await openCommandsWorld({
    cluster: kafka.cluster(),
    settings: { COMMANDS_MAX_IN_FLIGHT: String(IN_FLIGHT), ...onAllBrokers },
    replicas: REPLICAS,
    partnerMs: 50,
  });
  onTestFinished(world.close);
  const { brokers, topics, groupId } = world;
  const send = (count: number): Promise<void> =>
    world.produce(topics.commands, newAccepts(count).map(messageOf));
  // All at once, before the fault: a client that writes during it would need as much care as the bridge itself.
  await send(ACCEPTS);
  await eventually(async () => (await world.executions()) > ACCEPTS / 5, "a fifth to be executed", 60_000);

  // With as many partitions as there are, each broker leads some of every topic.
  const leader = await kafka.leaderOf(topics.journal);
  const brokenAt = Date.now();
  const executedBefore = await world.executions();
  await fault.strike(leader);
  const mendedAt = Date.now();
  await send(LATER);
  for (const topic of Object.values(topics)) await kafka.untilAgreedAbout(topic, 60_000);
  const end = await endTotal(brokers, topics.commands);
  await eventually(
    async () => (await committedTotal(brokers, groupId, topics.commands)) >= end,
    "every commit",
    120_000,
  ).catch(() => undefined);
  const committedAfterMs = Date.now() - mendedAt;

  // What a plain client has sent right after a fault is not always there: the topic says what the bridge was asked.
  const quotes = new Map(
    (await world.read(topics.commands)).map(({ value }) => {
      const { commandId, request } = JSON.parse(String(value)) as Command;
      return [commandId, request.quoteId];
    }),
  );
  const results = new Map<string, Result[]>();
  for (const record of await world.read(topics.results)) {
    const result = decodeResult(record);
    results.set(result.commandId, [...(results.get(result.commandId) ?? []), result]);
  }
  const book = claimBook();
  for (const record of await world.read(topics.journal)) book.see(record);
  const committed = await committedTotal(brokers, groupId, topics.commands);
  const account = await tallyAccepts(world, { quotes, results, committed });
  const doubted = [...results.entries()].filter(([, list]) =>
    list.some(({ outcome }) => outcome === "IN_DOUBT"),
  );
  const needless = book.notOpenAt(
    [brokenAt],
    doubted.map(([commandId]) => commandId),
  );
  console.log(
    `${fault.name}: ${JSON.stringify({ ...account, openClaims: book.openAt(brokenAt), committedAfterMs })}`,
  );

  expect(quotes.size).toBeGreaterThan(ACCEPTS);
  // A client that tried twice has written twice: the offsets end with the records, not with the commands.
  expect(account).toMatchObject({ ...correctTally(quotes.size), committed: end });
  expect(executedBefore).toBeLessThan(ACCEPTS);
  // Nobody died: a doubt is due only where a claim stood open when the broker went.
  expect(needless).toEqual([]);
  expect(account.inDoubt).toBeLessThanOrEqual(REPLICAS * IN_FLIGHT);
});
