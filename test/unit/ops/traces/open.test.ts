import { describe, expect, test } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import { open, receiver, root } from "./opened.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";
const UNSAMPLED = { traceparent: `00-${TRACE}-${SPAN}-00` };

describe("a span", () => {
  test("of an unsampled parent is not exported, nor are its children; only the trace id is kept", async () => {
    const collector = await receiver();
    const { traces } = open(collector.url);
    const span = traces.begin({ ...root, parent: UNSAMPLED });
    const inner = traces.begin({ name: "inner", kind: "client", parent: span });
    expect(span).toMatchObject({
      isSampled: false,
      traceparent: expect.stringMatching(`^00-${TRACE}-.*-00$`) as string,
    });
    expect(inner).toMatchObject({ isSampled: false, traceparent: span.traceparent });
    inner.end({});
    span.end({});
    await traces.close();
    expect(collector.spans).toEqual([]);
  });

  test.each([
    "",
    "x",
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  ])("takes %j for nobody's trace", async (traceparent) => {
    const collector = await receiver();
    const { traces } = open(collector.url);
    traces.begin({ ...root, parent: { traceparent }, link: { traceparent } }).end({});
    const [span] = await collector.until(() => true);
    expect(span).toMatchObject({ parentSpanId: "", links: [] });
    expect(span?.traceId).not.toBe(TRACE);
  });
});

describe("the collector", () => {
  test("gets the headers, and bodies with the configured compression", async () => {
    const collector = await receiver();
    const { traces } = open(collector.url, {
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=a%20token",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    });
    traces.begin(root).end({});
    await collector.until(() => true, 1);
    expect(collector.exports[0]).toMatchObject({
      path: "/v1/traces",
      headers: { authorization: "a token", "content-encoding": "gzip" },
    });
  });

  test("that refuses is logged once per interval, without the secrets in the headers", async () => {
    const collector = await receiver(401);
    const { traces, lines } = open(collector.url, {
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=secret-text",
    });
    for (let i = 0; i < 50; i++) traces.begin(root).end({});
    await eventually(() => collector.exports.length === 5, "50 failed spans");
    await traces.close();
    expect(lines.filter(({ event }) => event === "traces.lost")).toMatchObject([
      { level: "warn", fields: { spans: 10, reason: "Unauthorized" } },
    ]);
    expect(JSON.stringify(lines)).not.toContain("secret-text");
  });

  test.each([
    ["is not there", () => Promise.resolve({ url: "http://127.0.0.1:1" })],
    ["never answers", () => receiver(null)],
  ])("that %s costs the spans, and the log says so", async (_, collector) => {
    const { traces, lines } = open((await collector()).url, {
      OTEL_EXPORTER_OTLP_TIMEOUT: "200",
      OTEL_BSP_EXPORT_TIMEOUT: "1000",
    });
    for (let i = 0; i < 1_000; i++) traces.begin(root).end({});
    await eventually(() => lines.some(({ event }) => event === "traces.lost"), "the line that says so");
    await traces.close();
    expect(lines.filter(({ level }) => level !== "debug").map(({ event }) => event)).toEqual(["traces.lost"]);
    expect(lines.every(({ fields }) => Object.values(fields).every((value) => value !== ""))).toBe(true);
  });
});

test.each([
  ["OTEL_TRACES_SAMPLER", "jaeger_remote"],
  ["OTEL_EXPORTER_OTLP_TIMEOUT", "-10"],
  ["OTEL_EXPORTER_OTLP_COMPRESSION", "brotli"],
  ["OTEL_RESOURCE_ATTRIBUTES", "a"],
  ["OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "0"],
  ["OTEL_BSP_MAX_QUEUE_SIZE", "-1"],
  ["OTEL_BSP_SCHEDULE_DELAY", "5s"],
])("%s=%s is left out with a warning, and spans are sent all the same", async (variable, value) => {
  const collector = await receiver();
  const { traces, lines } = open(collector.url, { [variable]: value });
  expect(lines.map(({ level, event }) => `${level} ${event}`)).toContain("warn traces.ignored");
  expect(lines.some(({ fields }) => String(fields["reason"]).includes(variable))).toBe(true);
  traces.begin(root).end({});
  await traces.close();
  expect(collector.spans).toHaveLength(1);
});

test("the resource: our name and an id, and what the environment says of them", async () => {
  const collector = await receiver();
  const { traces } = open(collector.url, { OTEL_RESOURCE_ATTRIBUTES: "k8s.pod.name=a%20b" });
  traces.begin(root).end({});
  await traces.close();
  expect(collector.spans[0]?.resource).toMatchObject({
    "service.name": "cambio-bridge",
    "service.instance.id": expect.stringMatching(/^[\da-f-]{36}$/) as string,
    "k8s.pod.name": "a b",
  });
});

test("headers that no request can carry cost the spans, and nothing else", async () => {
  const collector = await receiver();
  const { traces, lines } = open(collector.url, { OTEL_EXPORTER_OTLP_HEADERS: "a=secret%0atext" });
  traces.begin(root).end({});
  await traces.close();
  expect(lines).toContainEqual(expect.objectContaining({ event: "traces.lost" }));
});
