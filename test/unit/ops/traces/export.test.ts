import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import { open, receiver, root } from "./opened.ts";

const varint = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >> 7)];
const field = (number: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(content.length)]), content]);

/** An ExportTraceServiceResponse with `partial_success`. */
const partial =
  (rejectedSpans: number, errorMessage: string) =>
  (response: ServerResponse): void => {
    const rejected = Buffer.from([1 << 3, ...varint(rejectedSpans)]);
    const message = Buffer.concat([rejected, field(2, Buffer.from(errorMessage))]);
    response.writeHead(200, { "content-type": "application/x-protobuf" }).end(field(1, message));
  };

const reasons = ({ lines }: ReturnType<typeof open>) =>
  lines.filter(({ event }) => event === "traces.lost").map(({ fields }) => fields);

test("spans that the collector rejects in a 200 count as failed, with its reason, masked and bounded", async () => {
  const collector = await receiver(partial(3, `the quota of secret-text is used up${"!".repeat(500)}`));
  const opened = open(collector.url, { headers: () => ({ authorization: "secret-text" }) });
  for (let i = 0; i < 20; i++) opened.traces.begin(root).end({});
  await eventually(() => opened.counts.exported + opened.counts.failed === 20, "two answers");
  expect(opened.counts).toEqual({ exported: 14, failed: 6, dropped: 0 });
  const [said, ...more] = reasons(opened);
  expect(said).toMatchObject({ spans: 3 });
  expect(said?.["reason"]).toMatch(/^the collector rejected them: the quota of \[secret\] is used up!+$/);
  expect(String(said?.["reason"]).length).toBeLessThanOrEqual(300);
  expect(more).toEqual([]);
  expect(JSON.stringify(opened.lines)).not.toContain("secret-text");
});

test("a collector that claims to have rejected more than it got rejected all", async () => {
  const opened = open((await receiver(partial(1_000, ""))).url);
  opened.traces.begin(root).end({});
  await eventually(() => opened.counts.failed > 0, "its answer");
  expect(opened.counts).toEqual({ exported: 0, failed: 1, dropped: 0 });
  expect(reasons(opened)).toEqual([{ spans: 1, reason: "the collector rejected them: it does not say why" }]);
});

test("a warning of the collector that rejects nothing is no loss", async () => {
  const opened = open((await receiver(partial(0, "use a newer version"))).url);
  opened.traces.begin(root).end({});
  await eventually(() => opened.counts.exported === 1, "its answer");
  expect(opened.counts.failed).toBe(0);
  expect(reasons(opened)).toEqual([]);
  const texts = opened.lines.map(({ fields }) => String(fields["text"])).join("\n");
  expect(texts).toContain("use a newer version");
});

test("an answer whose body never ends fails its export once, also when it ends after all", async () => {
  const answers: { end: () => void; closed: Promise<void> }[] = [];
  const collector = await receiver((response) => {
    response.writeHead(200, { "content-type": "application/x-protobuf" });
    // Each byte keeps the exporter's own timeout, which is one of silence, from firing.
    const drip = setInterval(() => response.write("\0"), 20);
    const stop = (): void => clearInterval(drip);
    const closed = new Promise<void>((resolve) => response.on("close", resolve)).then(stop);
    const end = (): void => {
      stop();
      response.end();
    };
    answers.push({ end, closed });
  });
  const opened = open(collector.url, { timeoutMs: 10_000, exportTimeoutMs: 3_000 });
  for (let i = 0; i < 10; i++) opened.traces.begin(root).end({});
  await eventually(() => opened.counts.failed > 0, "the end of the export");
  expect(reasons(opened)).toEqual([{ spans: 10, reason: "no answer within 3000 ms" }]);
  answers[0]?.end();
  await answers[0]?.closed;
  opened.traces.begin(root).end({});
  await eventually(() => opened.counts.failed === 11, "the end of the next export");
  expect(opened.counts).toEqual({ exported: 0, failed: 11, dropped: 0 });
  answers[1]?.end();
});
