import { Kafka, logLevel, type Admin } from "kafkajs";
import { afterEach, expect, it } from "vitest";
import { sendAccepts } from "../support/accepts.ts";
import { sharedCluster } from "../support/cluster.ts";
import { commandsWorld } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";
import type { Replica, World } from "../support/world.ts";

const ACCEPTS = 300;
const ANSWERED_BEFORE = 100;
const ACCEPTS_AFTERWARDS = 100;
const ACCEPTS_AT_LAST = 40;

let world: World | undefined;
let admin: Admin | undefined;
afterEach(async () => {
  await admin?.disconnect();
  await world?.close();
});

const harms = {
  "deleted and created again": async (kafka: Admin, of: World): Promise<void> => {
    await kafka.deleteTopics({ topics: [of.topics.journal] });
    await of.cli(["setup"]);
  },
  purged: async (kafka: Admin, { topics: { journal } }: World): Promise<void> => {
    const ends = await kafka.fetchTopicOffsets(journal);
    const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }));
    await kafka.deleteTopicRecords({ topic: journal, partitions });
  },
};

type Components = Record<string, { status: string; detail: string } | undefined>;

const componentsOf = async ({ managementUrl }: Replica): Promise<Components> => {
  const response = await fetch(`${managementUrl}/readyz`);
  return ((await response.json()) as { components: Components }).components;
};

it.each(
  (["deleted and created again", "purged"] as const).flatMap((harm) => [
    { harm, replicasRun: true },
    { harm, replicasRun: false },
  ]),
)(
  "begins nothing once the journal was $harm, and says so (replicas running meanwhile: $replicasRun)",
  async ({ harm, replicasRun }) => {
    const opened = await commandsWorld(sharedCluster(), {
      env: { COMMANDS_MAX_IN_FLIGHT: "16" },
      replicas: 2,
      partnerMs: 300,
    });
    const { brokers, replicas } = opened;
    const here = (world = opened.world);
    const { topics, groupId } = here;
    const kafka = (admin = new Kafka({
      brokers: brokers.split(","),
      logLevel: logLevel.NOTHING,
    }).admin());
    await kafka.connect();
    const accepts = await sendAccepts(here, brokers);
    const executions = async (): Promise<number> =>
      (await here.sandbox<{ executions: number }>("/_sandbox/executions")).executions;
    const killAll = (): void => {
      for (const { process } of replicas.splice(0)) process.signal("SIGKILL");
    };
    const untilRefused = (replica: Replica): Promise<unknown> =>
      eventually(async () => {
        expect(await replica.isReady()).toBe(false);
        expect((await componentsOf(replica))["journal"]).toMatchObject({
          status: "down",
          detail: expect.stringContaining(`${topics.journal} `) as string,
        });
      }, 20_000);

    await accepts.send(ACCEPTS);
    await eventually(() => accepts.answered() >= ANSWERED_BEFORE, 60_000);
    if (!replicasRun) killAll();
    await harms[harm](kafka, here);
    await accepts.send(ACCEPTS_AFTERWARDS);
    if (replicasRun) await Promise.all(replicas.map(untilRefused));
    killAll();

    const successor = await here.startReplica();
    await untilRefused(successor);
    const executedBefore = await executions();
    await eventually(async () => (await componentsOf(successor))["commands-group"]?.status === "up", 30_000);
    await untilRefused(successor);
    successor.process.signal("SIGTERM");
    expect(await successor.process.exited()).toBe(0);
    expect(await executions()).toBe(executedBefore);
    expect(accepts.answered()).toBeLessThan(accepts.sent());

    // An operator has looked at what was left open, and lets the bridge begin behind it.
    const ends = await kafka.fetchTopicOffsets(topics.commands);
    const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }));
    await eventually(() => kafka.setOffsets({ groupId, topic: topics.commands, partitions }), 30_000);
    const leftOpen = accepts.sent() - accepts.answered();
    const operated = await here.startReplica();
    await eventually(() => operated.isReady(), 30_000);
    await accepts.send(ACCEPTS_AT_LAST);
    await eventually(() => accepts.answered() === accepts.sent() - leftOpen, 30_000);
    const account = await accepts.settle(0);
    await accepts.stop();

    expect(account).toMatchObject({
      twoFinals: [],
      falseYes: [],
      falseNo: [],
      executedTwice: [],
      repetitions: 0,
      exact: true,
      committed: accepts.sent(),
    });
    expect(account.unanswered).toHaveLength(leftOpen);
    console.log(
      `${harm}, replicas running ${replicasRun}: ${leftOpen} left open, ${account.inDoubt} in doubt`,
    );
  },
);
