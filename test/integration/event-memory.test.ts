import { readFileSync } from "node:fs";
import avro from "avsc";
import { afterEach, expect, inject, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { readTopic, type Seen } from "../support/topic.ts";
import { openWorld, type Replica, type World } from "../support/world.ts";

const schema: unknown = JSON.parse(
  readFileSync(new URL("../../schemas/transaction-status-updated.avsc", import.meta.url), "utf8"),
);
const eventType = avro.Type.forSchema(schema as avro.Schema);
type Event = { status: string; direction: string; outOfOrder: boolean };
const decode = ({ value }: Seen): Event =>
  eventType.fromBuffer((value ?? Buffer.alloc(5)).subarray(5)) as Event;

let world: World | undefined;
afterEach(async () => world?.close());

const ready = (replica: Replica): Promise<true> => eventually(() => replica.isReady(), "ready", 30_000);

const post = async ({ webhookUrl }: Replica, status: string, createdAt: string): Promise<unknown> => {
  const body = JSON.stringify({ transactionId: "tx-memory", status, createdAt });
  const response = await fetch(webhookUrl, { method: "POST", body });
  expect(response.status).toBe(200);
  return response.json();
};

it("remembers what any replica published, after a restart too", async () => {
  const brokers = inject("kafkaBrokers");
  world = await openWorld(
    { kafkaBrokers: brokers, schemaRegistryUrl: inject("schemaRegistryUrl") },
    { env: { FLOWS: "webhooks" } },
  );
  const { topics } = world;
  const [a, b] = await Promise.all([world.startReplica(), world.startReplica()]);
  await Promise.all([ready(a), ready(b)]);

  const first = await post(a, "AWAITING_PAYMENT", "2026-11-21T12:00:00Z");
  // What b learns by reading shows in its next event of the transaction: only an earlier one proves the direction of this.
  let probes = 0;
  await eventually(
    async () => {
      probes += 1;
      await post(b, "CONTRACT_IN_PROGRESS", `2026-11-21T12:01:${String(probes).padStart(2, "0")}Z`);
      return (await readTopic(brokers, topics.events)).map(decode).at(-1)?.direction === "OUTBOUND";
    },
    "b to learn what a published",
    20_000,
  );
  const before = (await readTopic(brokers, topics.events)).length;
  expect(await post(b, "AWAITING_PAYMENT", "2026-11-21T12:00:00Z")).toEqual(first);

  for (const replica of [a, b]) replica.process.signal("SIGKILL");
  const c = await world.startReplica();
  await ready(c);
  expect(await post(c, "AWAITING_PAYMENT", "2026-11-21T12:00:00Z")).toEqual(first);
  expect(await readTopic(brokers, topics.events)).toHaveLength(before);

  await post(c, "PAYMENT_CONFIRMED", "2026-11-21T12:00:30Z");
  const late = (await readTopic(brokers, topics.events))
    .map(decode)
    .find(({ status }) => status === "PAYMENT_CONFIRMED");
  expect(late).toMatchObject({ outOfOrder: true, direction: "OUTBOUND" });
});
