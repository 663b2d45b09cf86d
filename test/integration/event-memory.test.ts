import { expect, it } from "vitest";
import { decode } from "../support/avro.ts";
import { eventually } from "../support/eventually.ts";
import type { TopicRecord } from "../support/follow-topics.ts";
import type { Replica } from "../support/replica.ts";
import { openTestWorld } from "../support/world.ts";

const directionOf = ({ value }: TopicRecord) => decode("transaction-status-updated", value)["direction"];

const post = async ({ webhookUrl }: Replica, status: string, createdAt: string): Promise<unknown> => {
  const body = JSON.stringify({ transactionId: "tx-memory", status, createdAt });
  const response = await fetch(webhookUrl, { method: "POST", body });
  expect(response.status).toBe(200);
  return response.json();
};

it("remembers what any replica published, after a restart too", async () => {
  const world = await openTestWorld({ settings: { FLOWS: "webhooks" } });
  const published = (): Promise<TopicRecord[]> => world.read(world.topics.events);
  const [a, b] = await Promise.all([world.startReplica(), world.startReplica()]);
  await Promise.all([a.untilReady(), b.untilReady()]);

  const first = await post(a, "AWAITING_PAYMENT", "2026-11-21T12:00:00Z");
  // What b learns by reading shows in its next event of the transaction: only an earlier one proves the direction of this.
  let probes = 0;
  await eventually(
    async () => {
      probes += 1;
      await post(b, "CONTRACT_IN_PROGRESS", `2026-11-21T12:01:${String(probes).padStart(2, "0")}Z`);
      return (await published()).map(directionOf).at(-1) === "OUTBOUND";
    },
    "b to learn what a published",
    20_000,
  );
  const before = (await published()).length;
  expect(await post(b, "AWAITING_PAYMENT", "2026-11-21T12:00:00Z")).toEqual(first);

  for (const replica of [a, b]) replica.signal("SIGKILL");
  const c = await world.startReady();
  expect(await post(c, "AWAITING_PAYMENT", "2026-11-21T12:00:00Z")).toEqual(first);
  expect(await published()).toHaveLength(before);

  await post(c, "PAYMENT_CONFIRMED", "2026-11-21T12:00:30Z");
  const late = (await published())
    .map(({ value }) => decode("transaction-status-updated", value))
    .find(({ status }) => status === "PAYMENT_CONFIRMED");
  expect(late).toMatchObject({ outOfOrder: true, direction: "OUTBOUND" });
  expect(await c.hasMetric(/^cambio_bridge_webhook_out_of_order_total 1$/m)).toBe(true);
});
