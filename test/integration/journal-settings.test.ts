import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandsUnderFault, openCommandsWorld } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";
import { askAdmin, setTopicConfig } from "../support/kafka.ts";
import type { Replica } from "../support/replica.ts";
import type { World } from "../support/world.ts";
import { messageOf, newAccepts } from "../support/accepts.ts";

// Settings of the journal that somebody changes while replicas run.

let world: World;
let replicas: Replica[];
beforeAll(async () => {
  ({ world, replicas } = await openCommandsWorld({ replicas: 2 }));
});
afterAll(() => world.close());

/** Within so long all replicas notice a change. */
const NOTICE_MS = 15_000;

const accept = async (quoteId: string): Promise<string> => {
  const commandId = randomUUID();
  const message = messageOf({ commandId, quoteId, key: commandId });
  await world.produce(world.topics.commands, [message]);
  return commandId;
};
const isAnswered = async (commandId: string): Promise<boolean> =>
  (await world.read(world.topics.results)).some(({ key }) => key === commandId);
const readinesses = (): Promise<{ status: number; text: string }[]> =>
  Promise.all(
    replicas.map(async ({ managementUrl }) => {
      const response = await fetch(`${managementUrl}/readyz`);
      return { status: response.status, text: await response.text() };
    }),
  );
const untilAll = (isReady: boolean): Promise<unknown> =>
  eventually(
    async () => (await readinesses()).every(({ status }) => (status === 200) === isReady),
    `all replicas to be ${isReady ? "ready" : "unready"}`,
    NOTICE_MS,
  );

test.each([
  ["retention.ms", "3600000", "1209600000", "is kept for less than"],
  ["cleanup.policy", "compact", "delete", "is compacted"],
])(
  "%s=%s: no replica begins a command, and each says why, until it is %s again",
  async (name, bad, good, why) => {
    const { brokers, topics } = world;
    const before = await accept(`q-${randomUUID()}`);
    await eventually(() => isAnswered(before), "a result", 20_000);

    await setTopicConfig(brokers, topics.journal, { [name]: bad });
    await untilAll(false);
    for (const { text } of await readinesses()) {
      expect(text).toContain(why);
      expect(text).toContain("Until then no command is begun.");
    }
    const journalEnd = (await world.read(topics.journal)).length;
    const held = await accept(`q-${randomUUID()}`);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await isAnswered(held)).toBe(false);
    expect(await world.read(topics.journal), "no claim").toHaveLength(journalEnd);

    await setTopicConfig(brokers, topics.journal, { [name]: good });
    await untilAll(true);
    await eventually(() => isAnswered(held), "the result of the command that was held", 20_000);
    for (const replica of replicas) {
      for (const event of ["journal.unfit", "journal.fit"])
        await eventually(async () => (await replica.lines()).some((line) => line.includes(event)), event);
    }
  },
);

test("more partitions: a replica that starts later begins no command, and says why", async () => {
  const { world, replicas, accepts } = await commandsUnderFault({ replicas: 1 });
  const { brokers, topics } = world;
  const first = newAccepts(20);
  await accepts.submit(first);
  await eventually(() => accepts.answered() === first.length, "the first answers", 30_000);
  replicas[0]?.signal("SIGTERM");
  await replicas[0]?.exited();

  const topicPartitions = [{ topic: topics.journal, count: 13 }];
  await askAdmin(brokers, (admin) => admin.createPartitions({ topicPartitions }));
  const successor = await world.startReplica();
  // Other commands for the same quotes.
  await accepts.submit(first.map((accept) => ({ ...accept, commandId: randomUUID() })));
  await eventually(
    async () => expect((await successor.components())["journal"]?.detail).toContain("has other partitions"),
    "the successor to refuse its journal",
    20_000,
  );
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect([await successor.isReady(), await world.executions()]).toEqual([false, first.length]);
});
