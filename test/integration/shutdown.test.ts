import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { startSandbox, type Sandbox } from "../../src/sandbox/start.ts";
import { basics, cli, serve, topicsOf } from "../support/bridge.ts";
import { eventually } from "../support/eventually.ts";
import { committed, decode, follow, produce, type Following } from "../support/kafka-client.ts";

const brokers = inject("kafkaBrokers");
const topics = topicsOf("shutdown");
let sandbox: Sandbox;
let env: Record<string, string>;
let following: Following;

beforeAll(async () => {
  sandbox = await startSandbox({ acceptUnknownQuotes: true, walk: "still" });
  env = {
    ...topics,
    KAFKA_BROKERS: brokers,
    SCHEMA_REGISTRY_URL: inject("schemaRegistryUrl"),
    PARTNER_BASE_URL: sandbox.url,
  };
  expect(await cli(["setup"], env)).toMatchObject({ code: 0 });
  following = await follow(brokers, [topics.TOPIC_TRANSACTION_STATUS, topics.TOPIC_COMMAND_RESULTS]);
});
afterAll(async () => {
  await following.stop();
  await sandbox.close();
});

const fault = (rule: object) =>
  fetch(`${sandbox.url}/_sandbox/faults`, { method: "POST", body: JSON.stringify(rule) });
const accept = (quoteId: string) => ({
  key: quoteId,
  value: JSON.stringify({
    commandId: `c-${quoteId}`,
    request: { type: "AcceptQuote", quoteId, counterpartyId: "cp-1" },
  }),
});
const executions = async () =>
  (await (await fetch(`${sandbox.url}/_sandbox/executions`)).json()) as {
    executions: number;
    executedTwice: unknown[];
  };

/** Posts notifications one after the other on each connection, until it is refused; notes which were answered 200. */
const load = (url: string, connections: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const confirmed: string[] = [];
  const statuses = new Map<number, number>();
  const post = (transactionId: string): Promise<number> =>
    new Promise((resolve) => {
      const sent = request(url, { agent, method: "POST" }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode ?? 0));
      });
      sent.on("error", () => resolve(0));
      sent.end(JSON.stringify({ transactionId, status: "CANCELED" }));
    });
  const worker = async (): Promise<void> => {
    for (;;) {
      const transactionId = randomUUID();
      const status = await post(transactionId);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 200) confirmed.push(transactionId);
      if (status === 0) return;
    }
  };
  const done = Promise.all(Array.from({ length: connections }, worker)).then(() => agent.destroy());
  return { confirmed, statuses, done };
};

test("SIGTERM under load: no 2xx without its event, every command answered once, exit 0", async () => {
  await fault({ operation: "accept", kind: "latency", ms: 150 });
  const bridge = await serve(env);
  const quotes = Array.from({ length: 400 }, (_, i) => `q-${i}`);
  await produce(brokers, topics.TOPIC_COMMANDS, quotes.map(accept));
  const { confirmed, statuses, done } = load(bridge.webhookUrl, 16);
  await eventually(
    () => confirmed.length > 300 && following.of(topics.TOPIC_COMMAND_RESULTS).length > 20,
    "both flows to be busy",
    30_000,
  );
  const stopping = performance.now();
  expect(await bridge.stop()).toBe(0);
  expect(performance.now() - stopping, "within SHUTDOWN_TIMEOUT").toBeLessThan(25_000);
  await done;
  // Once it takes nothing more it says so, or takes no connection: nobody is told that it was the sender's fault.
  expect([...statuses.keys()].filter((status) => ![200, 503, 0].includes(status))).toEqual([]);
  const left = (await executions()).executions;
  expect(left, "it stopped in the middle").toBeLessThan(quotes.length);

  const published = () => new Set(following.of(topics.TOPIC_TRANSACTION_STATUS).map(({ key }) => key));
  await eventually(() => confirmed.every((id) => published().has(id)), "an event for every 200", 30_000);

  // What was not begun stays for the next one, and nothing is executed twice.
  const next = await serve(env);
  const answers = () => following.of(topics.TOPIC_COMMAND_RESULTS);
  await eventually(
    () => new Set(answers().map(({ key }) => key)).size === quotes.length,
    "every result",
    30_000,
  );
  const outcomes = answers().map(({ value }) => decode("command-result", value)["outcome"]);
  expect(new Set(outcomes), "a drain leaves calls the time they need").toEqual(new Set(["SUCCEEDED"]));
  expect(await next.stop()).toBe(0);
  expect(await executions()).toMatchObject({ executions: quotes.length, executedTwice: [] });
  const offsets = await committed(brokers, topics.KAFKA_GROUP_ID, topics.TOPIC_COMMANDS);
  expect(offsets.reduce((a, b) => a + b, 0)).toBe(quotes.length);
});

test("a call that is open at the end of the drain is in doubt, which is told before the process ends", async () => {
  await fetch(`${sandbox.url}/_sandbox/faults`, { method: "DELETE" });
  await fault({ operation: "accept", match: { quoteId: "q-hangs" }, kind: "hang", when: "after" });
  const bridge = await serve({
    ...env,
    SHUTDOWN_TIMEOUT: "7s",
    PARTNER_CALL_TIMEOUT: "2s",
    WEBHOOK_SECRET: basics.WEBHOOK_SECRET,
  });
  await produce(brokers, topics.TOPIC_COMMANDS, [accept("q-hangs")]);
  await eventually(
    async () =>
      (
        await fetch(`${sandbox.url}/_sandbox/executions/q-hangs`).then(
          (response) => response.json() as Promise<{ executions: number }>,
        )
      ).executions === 1,
    "the call",
    30_000,
  );
  expect(await bridge.stop()).toBe(0);
  const [record] = await following.until(
    topics.TOPIC_COMMAND_RESULTS,
    ({ headers }) => headers["correlation-id"] === "c-q-hangs",
  );
  expect(record?.headers["outcome"]).toBe("IN_DOUBT");
});
