import { expect, it } from "vitest";
import { newAccepts, type Accept } from "../support/accepts.ts";
import { tallyAccepts, correctTally } from "../support/accept-tally.ts";
import { commandsUnderFault } from "../support/commands-under-fault.ts";
import { eventually } from "../support/eventually.ts";
import { askAdmin, committedTotal } from "../support/kafka.ts";
import type { Replica } from "../support/replica.ts";
import type { Result } from "../support/result.ts";
import type { World } from "../support/world.ts";

const OLD = 300;
const ANSWERED_BEFORE = 100;

type Said = { msg: string; partition: number; oldOffset: number; newOffset: number };

/** What a replica said of its logs. */
const saidBy = async (replica: Replica, event: string): Promise<Said[]> =>
  (await replica.lines())
    .filter((line) => line.includes(`"${event}"`))
    .map((line) => JSON.parse(line) as Said);

const deleteAndCreate = async ({ brokers, topics, run }: World): Promise<void> => {
  await askAdmin(brokers, (admin) => admin.deleteTopics({ topics: [topics.commands] }));
  expect(await run(["setup"])).toMatchObject({ code: 0 });
};

/** Until the new topic takes records: for an instant not every broker knows of it. */
const submitTo = (
  accepts: { submit: (list: readonly Accept[]) => Promise<void> },
  list: readonly Accept[],
): Promise<unknown> =>
  eventually(() => accepts.submit(list).then(() => true), "the new topic to take commands", 20_000);

const accountOf = (world: World, results: ReadonlyMap<string, Result[]>, all: readonly Accept[]) => {
  const quotes = new Map(all.map(({ commandId, quoteId }) => [commandId, quoteId]));
  // Offsets of two topics add up to nothing.
  return tallyAccepts(world, { quotes, results, committed: 0 });
};

it.each([
  { count: 60, replicasRun: true },
  { count: 1_500, replicasRun: true },
  { count: 60, replicasRun: false },
  { count: 1_500, replicasRun: false },
])(
  "answers all $count commands of a topic that was deleted and created again (replicas running meanwhile: $replicasRun)",
  async ({ count, replicasRun }) => {
    const { world, replicas, accepts } = await commandsUnderFault({
      settings: { COMMANDS_MAX_IN_FLIGHT: "16" },
      replicas: 2,
      partnerMs: 100,
    });
    const old = newAccepts(OLD);
    await accepts.submit(old);
    await eventually(() => accepts.answered() >= ANSWERED_BEFORE, "the first answers", 60_000);
    if (!replicasRun) for (const replica of replicas) replica.signal("SIGKILL");
    await deleteAndCreate(world);
    const fresh = newAccepts(count);
    await submitTo(accepts, fresh);
    const successor = replicasRun ? null : await world.startReplica();
    await successor?.untilReady();
    const isAnswered = ({ commandId }: Accept): boolean => accepts.results.has(commandId);
    await eventually(() => fresh.every(isAnswered), "every command of the new topic", 90_000);
    const { brokers, groupId, topics } = world;
    await eventually(
      async () => expect(await committedTotal(brokers, groupId, topics.commands)).toBe(count),
      "every commit",
      30_000,
    );
    const account = await accountOf(world, accepts.results, [...old, ...fresh]);

    const { unanswered } = account;
    expect({ ...account, unanswered: [] }).toMatchObject({ ...correctTally(OLD + count), committed: 0 });
    // Of the old topic's commands those are gone that nobody had read.
    expect(unanswered.length).toBeLessThanOrEqual(OLD - ANSWERED_BEFORE);
    expect(unanswered.filter((commandId) => fresh.some((each) => each.commandId === commandId))).toEqual([]);
    const said = (
      await Promise.all(
        (successor ? [successor] : replicas).map((replica) => saidBy(replica, "commands.topic.replaced")),
      )
    ).flat();
    // Kafka deletes the group's offsets together with the topic: a successor knows nothing of the old one, and
    // neither does a replica that gets a partition from another one meanwhile.
    expect(said.length > 0).toBe(replicasRun);
    for (const { oldOffset, newOffset } of said) expect([oldOffset > 0, newOffset]).toEqual([true, 0]);
  },
);

it("answers every command of the new topic also when the replicas are killed right after it came", async () => {
  const COUNT = 1_500;
  const { world, replicas, accepts } = await commandsUnderFault({
    settings: { COMMANDS_MAX_IN_FLIGHT: "64" },
    replicas: 2,
    partnerMs: 300,
  });
  const old = newAccepts(OLD);
  await accepts.submit(old);
  await eventually(() => accepts.answered() >= ANSWERED_BEFORE, "the first answers", 60_000);
  await deleteAndCreate(world);
  const fresh = newAccepts(COUNT);
  await submitTo(accepts, fresh);
  for (const replica of replicas) replica.signal("SIGKILL");
  await (await world.startReplica()).untilReady();
  const isAnswered = ({ commandId }: Accept): boolean => accepts.results.has(commandId);
  await eventually(() => fresh.every(isAnswered), "every command of the new topic", 120_000);
  const account = await accountOf(world, accepts.results, [...old, ...fresh]);
  const { unanswered } = account;
  expect({ ...account, unanswered: [] }).toMatchObject({ ...correctTally(OLD + COUNT), committed: 0 });
  expect(unanswered.length).toBeLessThanOrEqual(OLD - ANSWERED_BEFORE);
});

it("says which commands were dropped before anybody read them, and goes on behind them", async () => {
  const { world, replicas, accepts } = await commandsUnderFault({ replicas: 1 });
  const { brokers, topics } = world;
  await accepts.send(60);
  await accepts.settle(30_000);
  expect(await replicas[0]?.stop()).toBe(0);
  const dropped = newAccepts(60);
  await accepts.submit(dropped);
  await askAdmin(brokers, async (admin) => {
    const ends = await admin.fetchTopicOffsets(topics.commands);
    const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }));
    await admin.deleteTopicRecords({ topic: topics.commands, partitions });
  });
  const successor = await world.startReplica();
  await successor.untilReady();
  const fresh = newAccepts(60);
  await accepts.submit(fresh);
  const isAnswered = ({ commandId }: Accept): boolean => accepts.results.has(commandId);
  await eventually(() => fresh.every(isAnswered), "the commands behind them", 30_000);

  await eventually(
    async () => {
      const lost = await saidBy(successor, "commands.lost");
      const total = lost.reduce((sum, { oldOffset, newOffset }) => sum + newOffset - oldOffset, 0);
      expect(total).toBe(dropped.length);
    },
    "the loss to be said",
    10_000,
  );
  expect(dropped.filter(isAnswered)).toEqual([]);
});
