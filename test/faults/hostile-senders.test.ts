import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { startChild, endChild } from "../../dev/child.mjs";
import { eventually } from "../support/eventually.ts";
import { secrets } from "../support/settings.ts";
import { p99, startWebhookLoad } from "../support/webhook-load.ts";
import { openTestWorld } from "../support/world.ts";

const SENDER = fileURLToPath(new URL("../support/one-byte-chunks.mjs", import.meta.url));
const PROCESSES = 2;
const CONNECTIONS = 100;
const ATTACK_MS = 20_000;
/** What is promised for two hundred such connections. */
const MOST_MEMORY_MB = 400;
const SLOWEST_P99_MS = 500;

const memoryMb = async (pid: number): Promise<number> => {
  const [, kb] = /VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kb) / 1_024;
};

it.each([
  ["refused by their path", "/wrong"],
  ["read, because they know the path's token", `/${secrets.WEBHOOK_SECRET}`],
])(
  "goes on serving webhooks beside two hundred bodies in chunks of one byte that are %s",
  async (_, path) => {
    const world = await openTestWorld({ settings: { FLOWS: "webhooks" } });
    const replica = await world.startReady();
    const load = startWebhookLoad(replica.webhookUrl, 2);
    world.defer(load.stop);
    await eventually(() => load.answers.length > 100, "webhooks to be served", 30_000);

    const url = new URL(replica.webhookUrl);
    url.pathname = `/webhooks/transaction-status${path}`;
    for (let i = 0; i < PROCESSES; i++) {
      const logFile = join(world.folder, `attack-${i}.log`);
      const child = await startChild([process.execPath, SENDER, url.href, String(CONNECTIONS)], {
        logFile,
        env: {},
      });
      world.defer(() => endChild(child, "SIGKILL"));
    }
    const startedAt = Date.now();
    let most = 0;
    while (Date.now() < startedAt + ATTACK_MS) {
      most = Math.max(most, await memoryMb(replica.pid));
      await sleep(100);
    }
    expect(await replica.isReady()).toBe(true);
    const answers = load.since(startedAt);
    const p99Ms = p99(answers.map(({ ms }) => ms));
    console.log(`${answers.length} webhooks, p99 ${p99Ms} ms, at most ${Math.round(most)} MB`);

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(answers.length).toBeGreaterThan(200);
    expect(p99Ms).toBeLessThan(SLOWEST_P99_MS);
    expect(most).toBeLessThan(MOST_MEMORY_MB);
  },
);
