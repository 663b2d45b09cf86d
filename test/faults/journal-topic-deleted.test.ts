import type { Admin } from "kafkajs";
import { expect, it } from "vitest";
import { correctTally } from "../support/accept-tally.ts";
import { commandsUnderFault } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";
import { askAdmin } from "../support/kafka.ts";
import type { Replica } from "../support/replica.ts";
import type { World } from "../support/world.ts";

const ACCEPTS = 300;
const ANSWERED_BEFORE = 100;
const ACCEPTS_AFTERWARDS = 100;
const ACCEPTS_AT_LAST = 40;
/** Two session timeouts of a test, and the time to leave. */
const LEAVES_WITHIN_MS = 30_000;

const harms = {
  "deleted and created again": async (admin: Admin, world: World): Promise<void> => {
    await admin.deleteTopics({ topics: [world.topics.journal] });
    await world.run(["setup"]);
  },
  purged: async (admin: Admin, { topics: { journal } }: World): Promise<void> => {
    const ends = await admin.fetchTopicOffsets(journal);
    const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }));
    await admin.deleteTopicRecords({ topic: journal, partitions });
  },
};

/** The replica is up, takes nothing, and says which topic is the reason. */
const untilRefused = (replica: Replica, topic: string): Promise<unknown> =>
  eventually(
    async () => {
      expect(await replica.isReady()).toBe(false);
      expect((await replica.components())["journal"]).toMatchObject({
        status: "down",
        detail: expect.stringContaining(`${topic} `) as string,
      });
    },
    `${replica.name} to refuse its journal`,
    20_000,
  );

it.each(
  (["deleted and created again", "purged"] as const).flatMap((harm) => [
    { harm, replicasRun: true },
    { harm, replicasRun: false },
  ]),
)(
  "begins nothing once the journal was $harm, and says so (replicas running meanwhile: $replicasRun)",
  async ({ harm, replicasRun }) => {
    const { world, replicas, accepts } = await commandsUnderFault({
      settings: { COMMANDS_MAX_IN_FLIGHT: "16" },
      replicas: 2,
      partnerMs: 300,
    });
    const { brokers, topics, groupId } = world;
    const killAll = (): void => {
      for (const replica of replicas.splice(0)) replica.signal("SIGKILL");
    };

    await accepts.send(ACCEPTS);
    await eventually(() => accepts.answered() >= ANSWERED_BEFORE, "the first answers", 60_000);
    if (!replicasRun) killAll();
    await askAdmin(brokers, (admin) => harms[harm](admin, world));
    await accepts.send(ACCEPTS_AFTERWARDS);
    const members = (): Promise<number> =>
      askAdmin(brokers, async (admin) => {
        const [group] = (await admin.describeGroups([groupId])).groups;
        return group?.members.length ?? 0;
      });
    if (replicasRun) {
      await Promise.all(replicas.map((replica) => untilRefused(replica, topics.journal)));
      await eventually(async () => (await members()) === 0, "both to leave their group", LEAVES_WITHIN_MS);
    }
    killAll();

    const successor = await world.startReplica();
    await untilRefused(successor, topics.journal);
    const executedBefore = await world.executions();
    // The dead leave, and it takes no share of the commands, which it could not answer.
    await eventually(async () => (await members()) === 0, "an empty group", LEAVES_WITHIN_MS);
    successor.signal("SIGTERM");
    expect(await successor.exited()).toBe(0);
    expect(await world.executions()).toBe(executedBefore);
    expect(accepts.answered()).toBeLessThan(accepts.sent());

    // An operator has looked at what was left open, and lets the bridge begin behind it.
    await askAdmin(brokers, async (admin) => {
      const ends = await admin.fetchTopicOffsets(topics.commands);
      const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }));
      await eventually(
        async () => {
          await admin.setOffsets({ groupId, topic: topics.commands, partitions });
          return true;
        },
        "the group to be moved",
        30_000,
      );
    });
    const leftOpen = accepts.sent() - accepts.answered();
    await world.startReady();
    await accepts.send(ACCEPTS_AT_LAST);
    await eventually(
      () => accepts.answered() === accepts.sent() - leftOpen,
      "the accepts after the loss",
      30_000,
    );
    const account = await accepts.settle(0);

    expect({ ...account, unanswered: [] }).toMatchObject(correctTally(accepts.sent()));
    expect(account.unanswered).toHaveLength(leftOpen);
    console.log(
      `${harm}, replicas running ${replicasRun}: ${leftOpen} left open, ${account.inDoubt} in doubt`,
    );
  },
);
