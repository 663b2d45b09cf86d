import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:fs";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { MAIN } from "../support/program.ts";

/** Names its process on standard error, then becomes the bridge, whose standard output is a pipe of the shell. */
const PIPELINE = `sh -c 'echo $$ >&2; exec "$0" "$1" serve' "$0" "$1" | cat`;

// Whoever writes to a pipe that does not block waits for 100 ms each time it is full: 640 KB of lines a second then, and what waits at the end is lost.
test.runIf(process.platform === "linux")("standard output stays a pipe that blocks", async () => {
  const child = spawn("sh", ["-c", PIPELINE, process.execPath, MAIN], {
    env: {
      PATH: process.env["PATH"],
      FLOWS: "webhooks",
      WEBHOOK_AUTH: "none",
      WEBHOOK_PORT: "0",
      MANAGEMENT_PORT: "0",
      KAFKA_BROKERS: "127.0.0.1:1",
      SCHEMA_REGISTRY_URL: "http://127.0.0.1:1",
      PARTNER_BASE_URL: "http://127.0.0.1:1",
    },
  });
  const [named] = (await once(child.stderr, "data")) as [Buffer];
  const pid = Number(named.toString());
  const [first] = (await once(child.stdout, "data")) as [Buffer];
  const info = await readFile(`/proc/${pid}/fdinfo/1`, "utf8");
  process.kill(pid);
  expect(first.toString() + (await text(child.stdout)), "it has logged").toContain("start.waiting");
  const flags = parseInt(/flags:\s+(\d+)/.exec(info)?.[1] ?? "", 8);
  expect(flags & constants.O_WRONLY, "it is the writing end").toBe(constants.O_WRONLY);
  expect(flags & constants.O_NONBLOCK).toBe(0);
});
