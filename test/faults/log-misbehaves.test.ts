import { expect, test } from "vitest";
import { decode } from "../support/avro.ts";
import { sendAccepts } from "../support/accepts.ts";
import { TRUSTING } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";
import { openTestWorld } from "../support/world.ts";

const DAY_MS = 86_400_000;
const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

/** The last one: a run waits for ten minutes until it is over, and is complete then. */
const THROTTLED = { kind: "throttle", retryAfter: "5" };

const FAULTS: [name: string, fault: object][] = [
  ["unauthorized", { kind: "unauthorized" }],
  ["5xx", { kind: "status", status: 500 }],
  ["no answer", { kind: "hang" }],
  ["a reset", { kind: "reset", when: "after" }],
  ["no HTTP", { kind: "garbage" }],
  ["a body that breaks off", { kind: "cut-body", bytes: 200 }],
  ["a body that stalls", { kind: "stall-body", bytes: 200 }],
  ["an array without an end", { kind: "endless-body", bytes: 1, filler: '{"a":1},' }],
  ["a string without an end", { kind: "endless-body", bytes: 10, filler: "aaaaaaaaaaaaaaaa" }],
  ["lies", { kind: "status", status: 200, body: '{"data":{"transactions":"all delivered"}}' }],
  ["throttled", THROTTLED],
];

test("whatever the log does, webhooks and accepts go on, it is counted, and what is missing comes when the log is well", async () => {
  const world = await openTestWorld({
    sandboxArgs: [...TRUSTING, "--retry", "500ms"],
    settings: {
      RECONCILE_MIN_AGE: "0",
      RECONCILE_EVERY: "1s",
      PARTNER_CONNECT_TIMEOUT: "1s",
      PARTNER_CALL_TIMEOUT: "1s",
      PARTNER_LOG_MAX_BYTES: "4000000",
    },
  });
  // Fewer than are suspicious: the webhooks below are none of the log.
  const lostBefore = { count: 19, from: ago(1), to: ago(0.5), lostShare: 1 };
  await world.sandbox(
    "/_sandbox/faults",
    FAULTS.slice(0, 1).map(([, fault]) => ({ operation: "logs", ...fault })),
  );
  const bridge = await world.startReady();
  await world.sandbox("/_sandbox/log", lostBefore);
  const following = await world.follow([world.topics.events]);
  const accepts = await sendAccepts(world);

  const runs = async (): Promise<Record<string, number>> => {
    const text = await bridge.metrics();
    const found = text.matchAll(/^cambio_bridge_reconcile_runs_total\{result="(\w+)"\} (\d+)$/gm);
    return Object.fromEntries([...found].map(([, result, count]) => [String(result), Number(count)]));
  };
  const notComplete = async (): Promise<number> => {
    const { failed = 0, incomplete = 0 } = await runs();
    return failed + incomplete;
  };

  for (const [n, [name, fault]] of FAULTS.entries()) {
    await fetch(`${world.sandboxUrl}/_sandbox/faults`, { method: "DELETE" });
    await world.sandbox("/_sandbox/faults", { operation: "logs", ...fault });
    const before = await notComplete();
    const answer = await fetch(bridge.webhookUrl, {
      method: "POST",
      body: JSON.stringify({ transactionId: `while ${name}`, status: "CANCELED", createdAt: ago(0) }),
    });
    expect(answer.status, name).toBe(200);
    await accepts.send(1);
    await eventually(() => accepts.answered() === n + 1, `the accept while ${name}`, 20_000);
    if (fault !== THROTTLED)
      await eventually(async () => (await notComplete()) > before, `a run that says ${name}`, 60_000);
    expect(await bridge.isReady(), name).toBe(true);
  }
  expect((await runs())["complete"] ?? 0).toBe(0);

  await fetch(`${world.sandboxUrl}/_sandbox/faults`, { method: "DELETE" });
  const back = await following.until(world.topics.events, () => true, FAULTS.length + 19);
  const events = back.map(({ value }) => decode("transaction-status-updated", value));
  expect(events.filter(({ source }) => source === "NOTIFICATION_LOG")).toHaveLength(19);
  await eventually(async () => ((await runs())["complete"] ?? 0) > 0, "a complete run", 30_000);
  expect(await bridge.stop()).toBe(0);
});
