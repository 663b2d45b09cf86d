import { expect, it } from "vitest";
import { newAccepts } from "../support/accepts.ts";
import { correctTally } from "../support/accept-tally.ts";
import { commandsUnderFault } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";
import { followTopics } from "../support/follow-topics.ts";
import { committedTotal } from "../support/kafka.ts";
import { openProducer } from "../support/produce.ts";
import { randomFrom, shuffled } from "../support/random.ts";
import { registryProxy } from "../support/registry-proxy.ts";

/** POISON=10000 for the whole of what is promised. */
const COUNT = Number(process.env["POISON"] ?? 600);
/** Ids that the registry does not know, as a broken producer would use: few, and a stranger's: many. */
const FIRST_UNKNOWN_ID = 1_000_000;

const wire = (schemaId: number, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.writeInt32BE(schemaId, 1);
  return Buffer.concat([head, body]);
};

it(`answers ${COUNT} commands among ${COUNT} records that are none, and keeps those as they came`, async () => {
  const registry = await registryProxy();
  const { world, accepts } = await commandsUnderFault({ replicas: 0 });
  const random = randomFrom(7);
  const good = newAccepts(COUNT);
  const kinds = [
    (n: number) => Buffer.from(`no command ${n}`),
    (n: number) => Buffer.from(`["no object", ${n}]`),
    (n: number) => Buffer.from(`{"commandId":"c-${n}",`),
    (n: number) => wire(FIRST_UNKNOWN_ID + (n % 3), Buffer.from(`one of a few unknown schemas ${n}`)),
    (n: number) => wire(FIRST_UNKNOWN_ID + n, Buffer.from(`a schema of its own ${n}`)),
    (n: number) => wire(1, Buffer.from([n & 0xff, (n >> 8) & 0xff, 0xff, 0xff])),
    (n: number) => Buffer.concat([Buffer.from([0xff, 0xfe, n & 0xff]), Buffer.alloc(9, n >> 8)]),
  ];
  const poison = Array.from({ length: COUNT }, (_, n) => kinds[n % kinds.length]!(n));

  const dead: string[] = [];
  const unfollow = await followTopics(world.brokers, [world.topics.deadLetters], ({ value }) => {
    dead.push(value?.toString("base64") ?? "");
  });
  world.defer(unfollow);
  await world.startReady({ SCHEMA_REGISTRY_URL: registry.url });
  const askedAtStart = registry.questions.length;

  const producer = await openProducer(world.brokers);
  world.defer(() => producer.close());
  const bad = poison.map((value, n) => ({ key: `poison-${n}`, value }));
  const parts = Array.from({ length: 10 }, (_, part) => part * (COUNT / 10));
  for (const from of parts) {
    await producer.produce(world.topics.commands, shuffled(bad.slice(from, from + COUNT / 10), random));
    await accepts.submit(good.slice(from, from + COUNT / 10));
  }
  await eventually(() => good.every(accepts.isAnswered), "every result", 240_000);
  await eventually(() => dead.length >= COUNT, "every dead letter", 240_000);

  const account = await accepts.settle(60_000);
  const committed = (): Promise<number> =>
    committedTotal(world.brokers, world.groupId, world.topics.commands);
  await eventually(async () => (await committed()) === 2 * COUNT, "every commit", 30_000);

  // Whether all of them were committed is asked above: the account was drawn up before.
  expect(account).toMatchObject({ ...correctTally(COUNT), succeeded: COUNT, committed: account.committed });
  expect(dead.toSorted()).toEqual(poison.map((value) => value.toString("base64")).toSorted());
  const asked = registry.questions.length - askedAtStart;
  console.log(`the registry was asked ${asked} times`);
  // Seven times for an id within half a minute, however many records have it.
  expect(asked).toBeLessThanOrEqual(7 * (COUNT / kinds.length + 10));
});
