import { afterAll, beforeAll, expect, test } from "vitest";
import { problemsOfRecord, readAsyncApi } from "../support/asyncapi.ts";
import type { Following } from "../support/follow-topics.ts";
import type { Message } from "../support/produce.ts";
import type { Replica } from "../support/replica.ts";
import { openWorld, type World } from "../support/world.ts";
import { messageOf } from "../support/accepts.ts";

// What docs/asyncapi.yaml promises, held against what the bridge writes.

const TRACE = {
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  tracestate: "vendor=1",
};
const document = readAsyncApi();

let world: World;
let bridge: Replica;
let seen: Following;

beforeAll(async () => {
  world = await openWorld({
    sandboxArgs: ["--accept-unknown-quotes", "--walk", "still"],
    // Traced, so that records have all headers that they can have. That nobody listens there costs nothing.
    settings: { FLOWS: "webhooks,commands", OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" },
  });
  bridge = await world.startReady();
  seen = await world.follow(Object.values(world.topics));
});
afterAll(async () => {
  await bridge.stop();
  await world.close();
});

const notify = (body: string): Promise<Response> =>
  fetch(bridge.webhookUrl, { method: "POST", body, headers: TRACE });

const send = (message: Message): Promise<void> =>
  world.produce(world.topics.commands, [{ ...message, headers: { ...TRACE, own: "kept" } }]);

const first = async (topic: string, key: string | null) => {
  const [record] = await seen.until(topic, (one) => one.key === key);
  return record!;
};

test("an event, and a notification that is not understood", async () => {
  const body = JSON.stringify({ transactionId: "tx", status: "REFUNDED", createdAt: "2026-11-21T12:00:00Z" });
  expect((await notify(body)).status).toBe(200);
  const event = await first(world.topics.events, "tx");
  expect(problemsOfRecord(document, "TransactionStatusUpdated", event)).toEqual([]);
  expect(Object.keys(event.headers)).toEqual(expect.arrayContaining(["traceparent", "ce_traceparent"]));

  expect((await notify("nonsense")).status).toBe(200);
  const letter = await first(world.topics.deadLetters, null);
  expect(problemsOfRecord(document, "NotificationDeadLetter", letter)).toEqual([]);
});

test("results, journal, and a command that cannot be read", async () => {
  await send(messageOf({ commandId: "c-1", quoteId: "q-1", key: "good" }));
  const result = await first(world.topics.results, "c-1");
  expect(problemsOfRecord(document, "CommandResult", result)).toEqual([]);
  expect(result.headers).toMatchObject({ "correlation-id": "c-1", outcome: "SUCCEEDED" });
  const entries = await seen.until(world.topics.journal, () => true, 2);
  for (const entry of entries) expect(problemsOfRecord(document, "CommandJournalEntry", entry)).toEqual([]);

  await send({ key: "bad", value: "nonsense" });
  const refusal = await first(world.topics.results, "bad");
  expect(problemsOfRecord(document, "CommandResult", refusal)).toEqual([]);
  expect(refusal.headers).toMatchObject({ outcome: "REJECTED", "command-topic": world.topics.commands });
  const letter = await first(world.topics.deadLetters, "bad");
  expect(problemsOfRecord(document, "CommandDeadLetter", letter, ["own", ...Object.keys(TRACE)])).toEqual([]);
});

test("a command that the tool writes", async () => {
  const args = "send accept-quote --quote-id q-2 --counterparty-id cp-1 --command-id c-2".split(" ");
  const { code, err } = await world.run(args);
  expect(code, err).toBe(0);
  const [command] = await seen.until(world.topics.commands, ({ value }) => value?.[0] === 0);
  expect(problemsOfRecord(document, "Command", command!)).toEqual([]);
});

test("what a person does, and what is paused", async () => {
  const who = ["--by", "ana", "--note", "the partner asked for it"];
  const paused = await world.run(["pause", "commands", "--until", "5m", ...who]);
  expect(paused.code, paused.err).toBe(0);
  const resumed = await world.run(["resume", "commands", ...who]);
  expect(resumed.code, resumed.err).toBe(0);
  const entries = await seen.until(world.topics.audit, () => true, 4);
  const controlEntries = await seen.until(world.topics.control, () => true, 2);
  for (const entry of entries) expect(problemsOfRecord(document, "AuditEntry", entry)).toEqual([]);
  for (const entry of controlEntries) expect(problemsOfRecord(document, "ControlWord", entry)).toEqual([]);
});
