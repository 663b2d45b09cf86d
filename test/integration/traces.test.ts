import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import type { Following, TopicRecord } from "../support/follow-topics.ts";
import { openReceiver, type ReceivedSpan, type Receiver } from "../support/otlp-receiver.ts";
import { timed } from "../support/own-time.ts";
import type { Replica } from "../support/replica.ts";
import { secrets } from "../support/settings.ts";
import { openWorld, type World } from "../support/world.ts";
import { messageOf } from "../support/accepts.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SENDER = { traceId: TRACE, spanId: "b7ad6b7169203331" };
const traceparent = `00-${TRACE}-${SENDER.spanId}-01`;
const PATH = "/webhooks/transaction-status";
const COLLECTOR_SECRET = "collector-secret-of-the-test";

let world: World;
let bridge: Replica;
let following: Following;
let collector: Receiver;

beforeAll(async () => {
  collector = await openReceiver();
  world = await openWorld({
    sandboxArgs: ["--accept-unknown-quotes", "--walk", "still"],
    settings: {
      FLOWS: "webhooks,commands",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `api-key=${COLLECTOR_SECRET}`,
      OTEL_SERVICE_NAME: "bridge-of-the-test",
      OTEL_BSP_SCHEDULE_DELAY: "20",
    },
  });
  bridge = await world.startReady();
  const { events, results, deadLetters } = world.topics;
  following = await world.follow([events, results, deadLetters]);
});
afterAll(async () => {
  await world.close();
  await collector.close();
});

/** As whoever reads the record takes it up: by its header. */
const contextOf = ({ headers }: TopicRecord): { traceId: string; spanId: string } => {
  const [, traceId = "", spanId = "", flags] = headers["traceparent"]?.split("-") ?? [];
  expect(headers["ce_traceparent"]).toBe(headers["traceparent"]);
  expect(flags).toBe("01");
  return { traceId, spanId };
};
const spansOf = (traceId: string, count: number): Promise<ReceivedSpan[]> =>
  collector.until((span) => span.traceId === traceId, count);
const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan => {
  const span = spans.find((each) => each.name === name);
  if (!span) throw new Error(`no span ${name} among ${spans.map((each) => each.name).join(", ")}`);
  return span;
};
/**
 * OpenTelemetry cuts a span's start to whole milliseconds, and measures its duration exactly. So each end is early by up to a
 * millisecond, the outer one's perhaps by more.
 */
const START_IS_CUT_NS = 1_000_000n;
const lies = (inner: ReceivedSpan, outer: ReceivedSpan): void => {
  expect(inner.parentSpanId).toBe(outer.spanId);
  expect(inner.startNs).toBeGreaterThanOrEqual(outer.startNs);
  expect(inner.endNs).toBeLessThan(outer.endNs + START_IS_CUT_NS);
};
const post = (url: string, body: object): Promise<Response> =>
  fetch(url, { method: "POST", body: JSON.stringify(body), headers: { traceparent, tracestate: "a=1" } });
const notification = (transactionId: string) => ({
  transactionId,
  status: "AWAITING_PAYMENT",
  createdAt: "2026-01-05T10:00:00Z",
});
const acceptCommand = (commandId: string, quoteId: string) => ({
  ...messageOf({ commandId, quoteId, key: quoteId }),
  headers: { traceparent, tracestate: "a=1" },
});
const resultOf = async (commandId: string): Promise<TopicRecord> => {
  const ofCommand = ({ headers }: TopicRecord) => headers["correlation-id"] === commandId;
  const [result] = await following.until(world.topics.results, ofCommand);
  if (!result) throw new Error("no result");
  return result;
};

test("a webhook: a server span of its own trace, linked to the sender's, and in it the event's, which whoever reads the event goes on from", async () => {
  expect((await post(bridge.webhookUrl, notification("tx-linked"))).status).toBe(200);
  const { events } = world.topics;
  const [record] = await following.until(events, ({ key }) => key === "tx-linked");
  if (!record) throw new Error("no record");
  const { traceId, spanId } = contextOf(record);
  expect(record.headers).not.toHaveProperty("tracestate");
  const spans = await spansOf(traceId, 2);
  const [server, sent] = [named(spans, `POST ${PATH}`), named(spans, `send ${events}`)];
  expect(traceId).not.toBe(TRACE);
  expect(sent).toMatchObject({ spanId, kind: "producer", isError: false });
  lies(sent, server);
  expect(server).toMatchObject({
    parentSpanId: "",
    kind: "server",
    links: [{ ...SENDER, traceState: "a=1" }],
    resource: { "service.name": "bridge-of-the-test" },
  });
  expect(server.attributes).toEqual({
    "http.request.method": "POST",
    "http.route": PATH,
    "url.path": PATH,
    "url.scheme": "http",
    "http.response.status_code": 200,
    "cambio.webhook.kind": "published",
    "cambio.event.id": record.headers["ce_id"],
    "cambio.transaction.id": "tx-linked",
  });
  expect(sent.attributes).toEqual({
    "messaging.system": "kafka",
    "messaging.operation.type": "send",
    "messaging.operation.name": "send",
    "messaging.destination.name": events,
    "messaging.destination.partition.id": String(record.partition),
    "messaging.kafka.offset": record.offset,
    "messaging.message.id": record.headers["ce_id"],
  });
});

test("a webhook that is not understood, and one that is not let in", async () => {
  const { deadLetters } = world.topics;
  expect((await post(bridge.webhookUrl, { odd: "letter" })).status).toBe(200);
  const [record] = await following.until(deadLetters, ({ value }) => String(value).includes("odd"));
  if (!record) throw new Error("no record");
  const { traceId, spanId } = contextOf(record);
  const sent = named(await spansOf(traceId, 2), `send ${deadLetters}`);
  expect(sent).toMatchObject({
    spanId,
    attributes: { "cambio.dead_letter.reason": "UNREADABLE_NOTIFICATION" },
  });

  expect((await post(`${bridge.webhookUrl}-guessed`, notification("tx-refused"))).status).toBe(404);
  const [refused] = await collector.until(
    ({ attributes }) => attributes["http.response.status_code"] === 404,
  );
  expect(refused).toMatchObject({
    isError: false,
    attributes: { "url.path": PATH, "cambio.webhook.kind": "refused" },
  });
});

test("a command: its span in a trace of its own, linked to the sender's, and in it the claim, the call and the result", async () => {
  const { commands, journal, results } = world.topics;
  await world.produce(commands, [acceptCommand("linked", "quote-linked")]);
  const result = await resultOf("linked");
  const { traceId, spanId } = contextOf(result);
  const spans = await spansOf(traceId, 5);
  const processed = named(spans, `process ${commands}`);
  const [claim, call, conclusion, sent] = [
    named(spans, `claim ${journal}`),
    named(spans, "PUT /corporate/v1/quote/{quoteId}/accept"),
    named(spans, `conclude ${journal}`),
    named(spans, `send ${results}`),
  ];
  expect(processed).toMatchObject({
    parentSpanId: "",
    kind: "consumer",
    isError: false,
    links: [{ ...SENDER, traceState: "a=1" }],
    attributes: {
      "messaging.consumer.group.name": world.groupId,
      "messaging.message.conversation_id": "linked",
      "cambio.operation": "ACCEPT_QUOTE",
      "cambio.outcome": "SUCCEEDED",
    },
  });
  for (const span of [claim, call, conclusion, sent]) lies(span, processed);
  expect(claim.endNs).toBeLessThan(call.startNs + START_IS_CUT_NS);
  expect(claim).toMatchObject({ kind: "client", attributes: { "messaging.operation.name": "claim" } });
  const { port } = new URL(world.sandboxUrl);
  expect(call).toMatchObject({ kind: "client", isError: false });
  expect(call.attributes).toEqual({
    "http.request.method": "PUT",
    "url.full": `${world.sandboxUrl}/corporate/v1/quote/quote-linked/accept`,
    "url.template": "/corporate/v1/quote/{quoteId}/accept",
    "server.address": "127.0.0.1",
    "server.port": Number(port),
    "http.response.status_code": 200,
  });
  expect(sent).toMatchObject({
    spanId,
    kind: "producer",
    attributes: { "messaging.message.id": result.headers["ce_id"], "cambio.outcome": "SUCCEEDED" },
  });
});

test("a call of which nobody knows what became says so; how a person ends that is linked to it", async () => {
  await world.sandbox("/_sandbox/faults", { operation: "accept", kind: "reset", when: "after", count: 1 });
  await world.produce(world.topics.commands, [acceptCommand("doubted", "quote-doubted")]);
  const { traceId } = contextOf(await resultOf("doubted"));
  const spans = await spansOf(traceId, 5);
  const call = named(spans, "PUT /corporate/v1/quote/{quoteId}/accept");
  expect(call).toMatchObject({ isError: true, attributes: { "error.type": "unknown" } });
  expect(named(spans, `process ${world.topics.commands}`)).toMatchObject({
    isError: true,
    attributes: { "error.type": "ANSWER_LOST", "cambio.outcome": "IN_DOUBT" },
  });

  const word = ["--as", "succeeded", "--by", "ana", "--note", "seen", "--force"];
  expect(await world.run(["resolve", "doubted", ...word])).toMatchObject({ code: 0 });
  const isFinal = ({ headers }: TopicRecord) =>
    headers["correlation-id"] === "doubted" && headers["outcome"] === "SUCCEEDED";
  const [final] = await following.until(world.topics.results, isFinal);
  if (!final) throw new Error("no result");
  const ofFinal = contextOf(final);
  const [sent] = await spansOf(ofFinal.traceId, 1);
  const { spanId } = named(spans, `process ${world.topics.commands}`);
  expect(sent).toMatchObject({ ...ofFinal, parentSpanId: "", links: [{ traceId, spanId }] });
});

test("nothing secret was told to the collector, and the partner was told nothing of traces", async () => {
  expect(await bridge.stop()).toBe(0);
  expect(collector.spans.length).toBeGreaterThan(15);
  expect(collector.exports[0]?.headers["api-key"]).toBe(COLLECTOR_SECRET);
  for (const secret of [...Object.values(secrets), COLLECTOR_SECRET, "guessed"])
    for (const { body } of collector.exports) expect(body.includes(secret)).toBe(false);
  const { requests } = await world.sandbox<{ requests: object[] }>("/_sandbox/state?only=requests");
  expect(requests.length).toBeGreaterThan(1);
  expect(JSON.stringify(requests)).not.toMatch(/traceparent|tracestate|baggage/i);
});

test("what waits when the process ends is told within seconds; a collector that never answers holds nobody up", async () => {
  const silent = await openReceiver(null);
  world.defer(silent.close);
  const replica = await world.startReady({
    OTEL_EXPORTER_OTLP_ENDPOINT: silent.url,
    OTEL_BSP_SCHEDULE_DELAY: "600000",
    FLOWS: "webhooks",
  });
  expect((await post(replica.webhookUrl, notification("tx-last"))).status).toBe(200);
  const { value: code, ms } = await timed(replica.stop());
  expect(code).toBe(0);
  expect(ms).toBeLessThan(5_000);
  await eventually(() => silent.exports.length === 1, "the last export", 30_000);
});
