import { expect, it } from "vitest";
import { newAccepts, type Accept } from "../support/accepts.ts";
import { tallyAccepts, correctTally } from "../support/accept-tally.ts";
import { commandsUnderFault } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";
import { askAdmin, committedTotal, endTotal } from "../support/kafka.ts";
import type { Replica } from "../support/replica.ts";
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

it.each([
  { count: 60, replicas: "run meanwhile" },
  { count: 1_500, replicas: "run meanwhile" },
  { count: 60, replicas: "are killed before" },
  { count: 1_500, replicas: "are killed before" },
  { count: 1_500, replicas: "are killed right after" },
])(
  "answers all $count commands of a topic that was deleted and created again, where replicas $replicas",
  async ({ count, replicas: fate }) => {
    const killsOpenCalls = fate === "are killed right after";
    const { world, replicas, accepts } = await commandsUnderFault({
      settings: { COMMANDS_MAX_IN_FLIGHT: killsOpenCalls ? "64" : "16" },
      replicas: 2,
      partnerMs: killsOpenCalls ? 300 : 100,
    });
    const killAll = (): void => replicas.splice(0).forEach((replica) => replica.signal("SIGKILL"));
    const old = newAccepts(OLD);
    await accepts.submit(old);
    await eventually(() => accepts.answered() >= ANSWERED_BEFORE, "the first answers", 60_000);
    if (fate === "are killed before") killAll();
    await deleteAndCreate(world);
    const fresh = newAccepts(count);
    await submitTo(accepts, fresh);
    if (killsOpenCalls) killAll();
    if (replicas.length === 0) replicas.push(await world.startReplica());
    await Promise.all(replicas.map((replica) => replica.untilReady()));
    await eventually(() => fresh.every(accepts.isAnswered), "every command of the new topic", 120_000);
    const quotes = new Map([...old, ...fresh].map(({ commandId, quoteId }) => [commandId, quoteId]));
    // Offsets of two topics add up to nothing.
    const account = await tallyAccepts(world, { quotes, results: accepts.results, committed: 0 });

    const { unanswered } = account;
    expect({ ...account, unanswered: [] }).toMatchObject({ ...correctTally(OLD + count), committed: 0 });
    // Of the old topic's commands those are gone that nobody had read.
    expect(unanswered.length).toBeLessThanOrEqual(OLD - ANSWERED_BEFORE);
    if (killsOpenCalls) return;
    const { brokers, groupId, topics } = world;
    // Some may stand there twice: a send that some partition did not take is repeated as a whole.
    const records = await endTotal(brokers, topics.commands);
    await eventually(
      async () => expect(await committedTotal(brokers, groupId, topics.commands)).toBe(records),
      "every commit",
      30_000,
    );
    // Kafka deletes the group's offsets together with the topic: a successor knows nothing of the old one, and
    // neither does a replica that gets a partition from another one meanwhile.
    const ofAll = () => Promise.all(replicas.map((replica) => saidBy(replica, "commands.topic.replaced")));
    if (fate === "run meanwhile")
      await eventually(async () => (await ofAll()).flat().length > 0, "the replacement to be said");
    const said = (await ofAll()).flat();
    expect(said.length > 0).toBe(fate === "run meanwhile");
    for (const { oldOffset, newOffset } of said) expect([oldOffset > 0, newOffset]).toEqual([true, 0]);
  },
);
