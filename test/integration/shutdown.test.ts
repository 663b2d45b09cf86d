import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { messageOf } from "../support/accepts.ts";
import { decode } from "../support/avro.ts";
import { eventually } from "../support/eventually.ts";
import type { Following } from "../support/follow-topics.ts";
import { committedTotal } from "../support/kafka.ts";
import { startWebhookLoad } from "../support/webhook-load.ts";
import { openWorld, type World } from "../support/world.ts";

let world: World;
let following: Following;

beforeAll(async () => {
  world = await openWorld({ sandboxArgs: ["--accept-unknown-quotes", "--walk", "still"] });
  following = await world.follow([world.topics.events, world.topics.results]);
});
afterAll(() => world.close());

const accept = (quoteIds: readonly string[]): Promise<void> =>
  world.produce(
    world.topics.commands,
    quoteIds.map((quoteId) => messageOf({ commandId: `c-${quoteId}`, quoteId, key: quoteId })),
  );

test("SIGTERM under load: no 2xx without its event, every command answered once, exit 0", async () => {
  await world.sandbox("/_sandbox/faults", { operation: "accept", kind: "latency", ms: 1_000 });
  // Few at a time, so that all 400 would take 25 s.
  const bridge = await world.startReady({ COMMANDS_MAX_IN_FLIGHT: "16" });
  const load = startWebhookLoad(bridge.webhookUrl, 16);
  world.defer(load.stop);
  const confirmed = () => load.answers.filter(({ status }) => status === 200);
  const answers = () => following.of(world.topics.results);
  await eventually(() => confirmed().length > 300, "webhooks to be served", 30_000);
  // Only now: on a slow machine all would be answered before there were webhooks enough.
  const quotes = Array.from({ length: 400 }, (_, i) => `q-${i}`);
  await accept(quotes);
  await eventually(() => answers().length > 20, "both flows to be busy", 30_000);
  const stopping = performance.now();
  expect(await bridge.stop()).toBe(0);
  expect(performance.now() - stopping, "within SHUTDOWN_TIMEOUT").toBeLessThan(25_000);
  const statuses = new Set((await load.stop()).map(({ status }) => status));
  // Once it takes nothing more it says so, or takes no connection: nobody is told that it was the sender's fault.
  expect([...statuses].filter((status) => ![200, 503, 0].includes(status))).toEqual([]);
  const left = await world.executions();
  expect(left, "it stopped in the middle").toBeLessThan(quotes.length);

  const published = () => new Set(following.of(world.topics.events).map(({ headers }) => headers["ce_id"]));
  await eventually(
    () => confirmed().every(({ eventId }) => published().has(eventId)),
    "an event for every 200",
    30_000,
  );

  // What was not begun stays for the next one, and nothing is executed twice.
  const next = await world.startReady();
  await eventually(
    () => new Set(answers().map(({ key }) => key)).size === quotes.length,
    "every result",
    30_000,
  );
  const outcomes = answers().map(({ value }) => decode("command-result", value)["outcome"]);
  expect(new Set(outcomes), "a drain leaves calls the time they need").toEqual(new Set(["SUCCEEDED"]));
  expect(await next.stop()).toBe(0);
  expect(await world.sandbox("/_sandbox/executions")).toMatchObject({
    executions: quotes.length,
    executedTwice: [],
  });
  expect(await committedTotal(world.brokers, world.groupId, world.topics.commands)).toBe(quotes.length);
}, 120_000);

test("a notification that is arriving when the end begins is published and answered 200", async () => {
  const bridge = await world.startReady({ FLOWS: "webhooks", WEBHOOK_PUBLISH_TIMEOUT: "20s" });
  const { port, pathname } = new URL(bridge.webhookUrl);
  const body = JSON.stringify({ transactionId: "tx-late", status: "AWAITING_PAYMENT", createdAt: "" });
  const socket = connect(Number(port), "127.0.0.1").setEncoding("latin1");
  let heard = "";
  socket.on("data", (text: string) => (heard += text)).on("error", () => undefined);
  const head = `POST ${pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n`;
  socket.write(`${head}Expect: 100-continue\r\n\r\n${body.slice(0, 9)}`);
  await eventually(() => heard.includes(" 100 "), "the head to be read", 30_000);

  const stopped = bridge.stop();
  const isStopping = async (): Promise<boolean> => {
    const answer = await fetch(`${bridge.managementUrl}/readyz`);
    return (await answer.text()).includes("shutting down");
  };
  await eventually(isStopping, "the end to begin", 15_000);
  socket.write(body.slice(9));
  expect(await stopped).toBe(0);
  // The end of the process may be heard of before its last words.
  await eventually(() => heard.includes("HTTP/1.1 200 OK"), "the answer", 30_000);
  const isThere = ({ headers }: { headers: Record<string, unknown> }): boolean =>
    headers["ce_subject"] === "tx-late";
  expect(await following.until(world.topics.events, isThere)).toHaveLength(1);
});

test("connections that say nothing, or not all, do not hold the end up", async () => {
  const bridge = await world.startReady({ WEBHOOK_PUBLISH_TIMEOUT: "1s" });
  const { port, pathname } = new URL(bridge.webhookUrl);
  for (const said of ["", `POST ${pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{`]) {
    const socket = connect(Number(port), "127.0.0.1").on("error", () => undefined);
    await once(socket, "connect");
    socket.write(said);
  }
  const stopping = performance.now();
  expect(await bridge.stop()).toBe(0);
  expect(performance.now() - stopping, "long before SHUTDOWN_TIMEOUT").toBeLessThan(15_000);
});

test("a call that is open at the end of the drain is in doubt, which is told before the process ends", async () => {
  await fetch(`${world.sandboxUrl}/_sandbox/faults`, { method: "DELETE" });
  const hang = { operation: "accept", match: { quoteId: "q-hangs" }, kind: "hang", when: "after" };
  await world.sandbox("/_sandbox/faults", hang);
  const bridge = await world.startReady({ SHUTDOWN_TIMEOUT: "7s", PARTNER_CALL_TIMEOUT: "2s" });
  await accept(["q-hangs"]);
  await eventually(async () => (await world.executions("q-hangs")) === 1, "the call", 30_000);
  expect(await bridge.stop()).toBe(0);
  const [record] = await following.until(
    world.topics.results,
    ({ headers }) => headers["correlation-id"] === "c-q-hangs",
  );
  expect(record?.headers["outcome"]).toBe("IN_DOUBT");
});
