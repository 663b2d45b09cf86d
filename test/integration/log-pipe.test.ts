import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { MAIN } from "../../dev/main.mjs";
import { eventually } from "../support/eventually.ts";
import { openUnreadPipe } from "../support/unread-pipe.ts";
import { listen } from "../support/listen.ts";

const SETTINGS = {
  PATH: process.env["PATH"],
  FLOWS: "webhooks",
  WEBHOOK_AUTH: "none",
  WEBHOOK_PORT: "0",
  MANAGEMENT_PORT: "0",
  KAFKA_BROKERS: "127.0.0.1:1",
  SCHEMA_REGISTRY_URL: "http://127.0.0.1:1",
  PARTNER_BASE_URL: "http://127.0.0.1:1",
};

/** Names its process on standard error, then becomes the bridge, whose standard output is a pipe of the shell. */
const PIPELINE = `sh -c 'echo $$ >&2; exec "$0" "$1" serve' "$0" "$1" | cat`;

// A pipe that does not block fails the writes of others that share it, such as a script that starts the bridge.
// A module that imports all of `process` is enough to make it so.
test.runIf(process.platform === "linux").each([
  ["without traces", {}],
  ["with traces", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" }],
])("standard output stays a pipe that blocks, %s", async (_, traces) => {
  const env = { ...SETTINGS, ...traces };
  const child = spawn("sh", ["-c", PIPELINE, process.execPath, MAIN], { env });
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

/** Takes the place of Kafka and hangs up: the bridge logs each failed connection before it tries the next one. */
const hangingUp = async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  onTestFinished(() => void server.close());
  return { address: await listen(server), connections: () => connections };
};

describe("with a reader of standard output that stays but has stopped reading", () => {
  const crash = "data:text/javascript,process.on('SIGUSR2',()=>{throw(new(Error)('a_fault'))})";

  test.each([
    ["SIGTERM", ["SIGTERM"], 0, "ignore"],
    ["an uncaught exception that goes to the same pipe", ["SIGUSR2"], 1, "the same"],
  ] as const)("the process ends after %s", async (_, signals, code, stderr) => {
    const pipe = openUnreadPipe();
    const kafka = await hangingUp();
    const child = spawn(process.execPath, ["--import", crash, MAIN, "serve"], {
      env: { ...SETTINGS, KAFKA_BROKERS: kafka.address, LOG_LEVEL: "debug" },
      stdio: ["ignore", pipe.writeEnd, stderr === "ignore" ? "ignore" : pipe.writeEnd],
      timeout: 50_000,
      killSignal: "SIGKILL",
    });
    await eventually(() => pipe.read().includes("kafka.client"), "the first lines", 30_000);
    pipe.fill();
    const before = kafka.connections();
    await eventually(() => kafka.connections() > before + 1, "lines that nobody reads", 30_000);
    for (const signal of signals) child.kill(signal);
    expect(await once(child, "exit")).toEqual([code, null]);
  });
});
