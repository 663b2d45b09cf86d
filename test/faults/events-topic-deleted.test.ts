import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { correctTally } from "../support/accept-tally.ts";
import { sendAccepts } from "../support/accepts.ts";
import { topicAsSeenBy } from "../support/broker-view.ts";
import { TRUSTING } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";
import { askAdmin } from "../support/kafka.ts";
import type { Replica } from "../support/replica.ts";
import { onAllBrokers, threeBrokers } from "../support/three-brokers.ts";
import { openTestWorld } from "../support/world.ts";
import { SLOWEST_MS, webhooksUnderFault } from "../support/webhooks-under-fault.ts";

const ACCEPTS = 200;
/** Of the promise: full service again so soon after Kafka can serve. */
const WHOLE_WITHIN_MS = 10_000;

const kafka = threeBrokers();

/** Resolves when no broker knows of the topic any more: one that has not heard of it yet might still take records. */
const deleteTopic = async (topic: string): Promise<void> => {
  await askAdmin(kafka.addresses(), (admin) => admin.deleteTopics({ topics: [topic] }));
  for (const { port } of kafka.all())
    await eventually(
      () => expect(topicAsSeenBy(port, topic)).rejects.toThrow("error 3"),
      `${topic} to be gone`,
      20_000,
    );
};

it("refuses webhooks while their topic is gone, serves them when it is there again, and commands all the while", async () => {
  const { world, replica, load, untilRefused, untilWhole, settle } = await webhooksUnderFault(kafka, {
    settings: { FLOWS: "webhooks,commands" },
    sandboxArgs: TRUSTING,
  });
  const { events } = world.topics;
  const accepts = await sendAccepts(world);

  await deleteTopic(events);
  const goneAt = Date.now();
  await untilRefused();
  await eventually(async () => !(await replica.isReady()), "readiness to say so", 10_000);
  await accepts.send(ACCEPTS);
  const commands = await accepts.settle(60_000);
  const servedMeanwhile = load.since(goneAt).filter(({ status }) => status !== 503);
  expect(await world.run(["setup"])).toMatchObject({ code: 0 });
  await kafka.untilAgreedAbout(events, 30_000);
  const wholeAfterMs = await untilWhole(Date.now());
  await replica.untilReady(10_000);
  const account = await settle(goneAt);

  expect(servedMeanwhile).toEqual([]);
  expect(commands).toMatchObject({ ...correctTally(ACCEPTS), succeeded: ACCEPTS });
  expect(account).toMatchObject({ lost: [], otherStatuses: [] });
  expect(account.slowestMs).toBeLessThan(SLOWEST_MS);
  expect(wholeAfterMs).toBeLessThan(WHOLE_WITHIN_MS);
  console.log(`topic deleted: ${JSON.stringify(account)}, whole again after ${wholeAfterMs} ms`);
});

const OLD_RECORDS = 60;

it("knows of what other replicas write to the new topic, although the old one was longer", async () => {
  const world = await openTestWorld({
    cluster: kafka.cluster(),
    settings: { FLOWS: "webhooks", ...onAllBrokers },
  });
  const replicas = await Promise.all([world.startReplica(), world.startReplica()]);
  for (const replica of replicas) await replica.untilReady();
  const [one, other] = replicas;
  let sequence = 0;
  // All of one transaction, and so in one partition.
  const post = async (to: Replica, createdAt: string): Promise<string> => {
    const body = JSON.stringify({ transactionId: "tx-1", status: "CANCELED", createdAt });
    const answer = await fetch(to.webhookUrl, { method: "POST", body });
    return answer.ok ? ((await answer.json()) as { eventId: string }).eventId : "";
  };
  const timesPublished = async (eventId: string): Promise<number> => {
    const records = await world.read(world.topics.events);
    return records.filter(({ headers }) => headers["ce_id"] === eventId).length;
  };
  for (let nth = 0; nth < OLD_RECORDS; nth++) await post(one, `old ${nth}`);

  await deleteTopic(world.topics.events);
  expect(await world.run(["setup"])).toMatchObject({ code: 0 });
  await eventually(async () => (await post(other, "first")) !== "", "an event in the new topic", 30_000);
  await eventually(
    async () => {
      const createdAt = `new ${sequence++}`;
      const eventId = await post(other, createdAt);
      // It may learn of it a little later.
      await sleep(2_000);
      expect(await post(one, createdAt)).toBe(eventId);
      expect(await timesPublished(eventId)).toBe(1);
    },
    "one to know what the other published",
    45_000,
  );
  expect(sequence).toBeLessThan(OLD_RECORDS / 2);
});
