import { expect, test } from "vitest";
import { formatInstant } from "../../../../src/sandbox/api/answers/created-at.ts";
import { profileNames } from "../../../../src/sandbox/api/answers/profiles.ts";
import { openReceiver, openSandbox } from "../open.ts";
import { until } from "../receiver.ts";

test.each([
  ["iso-millis", "2026-11-21T12:34:56.789Z"],
  ["iso-seconds", "2026-11-21T12:34:56Z"],
  ["offset", "2026-11-21T09:34:56.789-03:00"],
  ["local", "2026-11-21 09:34:56"],
  ["epoch-seconds", 1_795_264_496],
  ["epoch-millis", 1_795_264_496_789],
] as const)("instants in the form %s", (format, expected) => {
  expect(formatInstant(format, Date.parse("2026-11-21T12:34:56.789Z"))).toBe(expected);
});

test("the createdAt form of a profile can be replaced", async () => {
  const hook = await openReceiver();
  const client = await openSandbox({
    createdAtFormat: "epoch-seconds",
    walk: "still",
    webhookUrls: [hook.url],
  });
  await client.control("POST", "transactions", {});
  await until(() => hook.received.length === 1, "the notification");
  expect(JSON.parse(hook.received[0]!.body)).toMatchObject({ createdAt: expect.any(Number) as number });
});

const idIn: Record<string, (reply: { text: string; headers: Headers }) => string> = {
  plain: ({ text }) => (JSON.parse(text) as { quoteId: string }).quoteId,
  nested: ({ text }) => (JSON.parse(text) as { data: { quote: { id: string } } }).data.quote.id,
  snake: ({ text }) => (JSON.parse(text) as { quote_id: string }).quote_id,
  numeric: ({ text }) => String((JSON.parse(text) as { id: number }).id),
  empty: ({ headers }) => headers.get("location")!.split("/").at(-1)!,
  text: ({ text }) => text,
};

test.each(profileNames)("profile %s: the same partner behind other answers", async (answers) => {
  const client = await openSandbox({ answers, walk: "still", webhookUrls: ["http://127.0.0.1:9/"] });
  const created = await client.create();
  expect(created.status).toBeLessThan(300);
  const quoteId = idIn[answers]!(created);
  expect((await client.accept(quoteId)).status).toBeLessThan(300);
  expect((await client.accept(quoteId)).status).toBeGreaterThanOrEqual(400);
  expect((await client.subscribe("http://127.0.0.1:9/other")).status).toBeLessThan(300);
  const log = await client.logs();
  expect(log.status).toBe(200);
  expect(log.text).toContain("AWAITING_PAYMENT");
  expect(await client.control("GET", `executions/${quoteId}`)).toEqual({ quoteId, executions: 1 });
});

test("profile empty has no bodies, profile text no JSON", async () => {
  const bare = await openSandbox({ answers: "empty" });
  expect(await bare.accept("unknown")).toMatchObject({ status: 404, text: "" });
  const textual = await openSandbox({ answers: "text" });
  expect((await textual.accept("unknown")).headers.get("content-type")).toMatch(/^text\/html/);
});
