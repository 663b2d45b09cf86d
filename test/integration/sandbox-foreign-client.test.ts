import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { startSandbox } from "../../sandbox/start.ts";

const hasPython = spawnSync("python3", ["--version"]).status === 0;
if (!hasPython) console.warn("skipped: python3 is not installed (apt-get install python3)");

const client = new URL("../foreign/partner_client.py", import.meta.url).pathname;

test.skipIf(!hasPython).each(["plain", "nested", "attempts"] as const)(
  "a Python client written from the specification alone works against the sandbox with answers %s",
  async (answers) => {
    const sandbox = await startSandbox({ timeScale: 30_000, answers });
    onTestFinished(sandbox.close);
    const { stdout } = await promisify(execFile)("python3", [client, sandbox.url], { timeout: 30_000 });
    const { quoteId, notifications } = JSON.parse(stdout) as { quoteId: string; notifications: number };
    expect(notifications).toBe(6);
    const counted = await fetch(`${sandbox.url}/_sandbox/executions/${quoteId}`);
    expect(await counted.json()).toEqual({ quoteId, executions: 1 });
  },
);
