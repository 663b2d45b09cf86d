import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decode, schemaIdOf } from "../support/avro.ts";
import { sharedCluster } from "../support/cluster.ts";
import type { Following } from "../support/follow-topics.ts";
import type { Replica } from "../support/replica.ts";
import { secrets } from "../support/settings.ts";
import { openWorld, type World } from "../support/world.ts";

const SOURCE = "http://127.0.0.1:9/partner";

let world: World;
let bridge: Replica;
let following: Following;
let events: string;
let deadLetters: string;

beforeAll(async () => {
  world = await openWorld({
    settings: {
      FLOWS: "webhooks",
      PARTNER_BASE_URL: SOURCE,
      PARTNER_EVENT_FIELDS: "rate=/new/0,letter=/new/1,gone=/old",
    },
  });
  ({ events, deadLetters } = world.topics);
  bridge = await world.startReady();
  following = await world.follow([events, deadLetters]);
});
afterAll(async () => {
  const exitCode = await bridge.stop();
  await world.close();
  expect(exitCode).toBe(0);
});

const post = async (body: string | Buffer, headers: Record<string, string> = {}) => {
  const response = await fetch(bridge.webhookUrl, { method: "POST", body: Buffer.from(body), headers });
  const text = await response.text();
  return {
    status: response.status,
    json: text === "" ? null : (JSON.parse(text) as Record<string, unknown>),
  };
};
const eventIdOf = (...parts: string[]): string =>
  createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 32);
const about = (transactionId: string) => (record: { key: string | null }) => record.key === transactionId;

test("a notification becomes an event: key, partition, headers and every byte of it", async () => {
  const body =
    '{ "transactionId":"tx-1","status":"AWAITING_PAYMENT",\n"createdAt":"2026-11-21T12:00:00Z","new":[1.10,"é"]}';
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const before = Date.now();
  const answer = await post(body, { traceparent, "x-other": "stays out", "content-type": "text/plain" });
  const after = Date.now();
  expect(answer).toEqual({ status: 200, json: { eventId: "73fc03d10f5d07d43d16f057322c850d" } });

  const [record] = await following.until(events, about("tx-1"));
  // Java's murmur2 of "tx-1" over 6 partitions.
  expect(record?.partition).toBe(3);
  const { receivedAt, ...event } = decode("transaction-status-updated", record?.value ?? null);
  expect(receivedAt).toBeGreaterThanOrEqual(before);
  expect(receivedAt).toBeLessThanOrEqual(after);
  expect(event).toEqual({
    eventId: "73fc03d10f5d07d43d16f057322c850d",
    transactionId: "tx-1",
    status: "AWAITING_PAYMENT",
    stage: "AWAITING_FUNDS",
    direction: "OUTBOUND",
    createdAt: "2026-11-21T12:00:00Z",
    occurredAt: Date.parse("2026-11-21T12:00:00Z"),
    source: "WEBHOOK",
    outOfOrder: false,
    payload: body,
    fields: { rate: "1.10", letter: "é" },
  });
  expect(record?.headers).toEqual({
    ce_specversion: "1.0",
    ce_id: "73fc03d10f5d07d43d16f057322c850d",
    ce_source: SOURCE,
    ce_type: "cambio.bridge.v1.TransactionStatusUpdated",
    ce_time: "2026-11-21T12:00:00.000Z",
    ce_subject: "tx-1",
    "content-type": "application/avro",
    traceparent,
    ce_traceparent: traceparent,
  });

  const schema = (await (
    await fetch(`${sharedCluster().schemaRegistryUrl}/schemas/ids/${schemaIdOf(record?.value ?? null)}`)
  ).json()) as {
    schema: string;
  };
  expect(JSON.parse(schema.schema)).toMatchObject({
    name: "TransactionStatusUpdated",
    namespace: "cambio.bridge.v1",
  });
});

test("a notification that comes again, side by side or later, is one record", async () => {
  const body = '{"transactionId":"tx-again","status":"CANCELED","createdAt":"2026-11-21T12:00:00Z"}';
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(body)));
  answers.push(await post(` ${body}`));
  const eventId = eventIdOf("tx-again", "CANCELED", "2026-11-21T12:00:00Z");
  for (const answer of answers) expect(answer).toEqual({ status: 200, json: { eventId } });
  // Another one of the same key stands behind it in the same partition: nothing came between.
  await post('{"transactionId":"tx-again","status":"REFUNDED"}');
  await following.until(events, (record) => record.key === "tx-again", 2);
  expect(following.of(events).filter(about("tx-again"))).toHaveLength(2);
});

test("what is not understood is kept byte for byte", async () => {
  const body = Buffer.from([0xff, 0x00, 0x7b, 0x0d, 0x0a, 0xc3]);
  const before = Date.now();
  expect(await post(body)).toEqual({ status: 200, json: { deadLettered: true } });
  const [record] = await following.until(deadLetters, ({ value }) => value?.equals(body) === true);
  expect(record?.key).toBeNull();
  expect(record?.headers).toEqual({
    "dead-letter-reason": "UNREADABLE_NOTIFICATION",
    "dead-letter-detail": "the body is not valid UTF-8",
    "dead-letter-source": "webhook",
    "dead-letter-received-at": expect.stringMatching(/^\d+$/) as string,
  });
  expect(Number(record?.headers["dead-letter-received-at"])).toBeGreaterThanOrEqual(before);
});

test("neither the log nor the metrics hold a secret, and a refusal has the sender's address", async () => {
  expect((await fetch(`${bridge.webhookUrl}-wrong`, { method: "POST", body: "{}" })).status).toBe(404);
  const metrics = await bridge.metrics();
  expect(metrics).toContain('cambio_bridge_webhook_requests_total{code="200"}');
  expect(metrics).toMatch(/cambio_bridge_fields_missing_total\{kind="event",field="gone"\} [1-9]/);
  expect(metrics).toMatch(new RegExp(`cambio_bridge_publish_seconds_count{topic="${events}"} [1-9]`));
  // Its last lines are written at its end.
  expect(await bridge.stop()).toBe(0);
  const lines = await bridge.lines();
  expect(lines.length).toBeGreaterThan(5);
  expect(lines.filter((line) => line.includes('"refused"'))).toEqual([
    expect.stringMatching(/"code":404,"kind":"refused","address":"127\.0\.0\.1"/),
  ]);
  const said = `${metrics}${JSON.stringify(lines)}`;
  for (const secret of Object.values(secrets)) expect(said).not.toContain(secret);
});
