import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { end, tether } from "../../dev/cluster/lifeline.mjs";
import { withoutSettings } from "../../dev/demo/environment.mjs";
import { eventually } from "./eventually.ts";

const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

export type Env = Readonly<Record<string, string | undefined>>;

/** How a command ended. */
export type Ended = { code: number; out: string; err: string };

/** Topics of this name's own, so that tests share one Kafka without meeting. */
export const topicsOf = (name: string) => {
  const prefix = `${name}-${randomUUID().slice(0, 8)}`;
  return {
    TOPIC_TRANSACTION_STATUS: `${prefix}.events`,
    TOPIC_COMMANDS: `${prefix}.commands`,
    TOPIC_COMMAND_RESULTS: `${prefix}.results`,
    TOPIC_COMMAND_JOURNAL: `${prefix}.journal`,
    TOPIC_DEAD_LETTERS: `${prefix}.dead-letters`,
    KAFKA_GROUP_ID: prefix,
  };
};

/** Settings of a bridge in a test, before those of Kafka, the registry and the partner. */
export const basics = {
  PARTNER_ACCESS_TOKEN: "access-token-of-the-test",
  PARTNER_X_TOKEN: "x-token-of-the-test",
  PARTNER_NAME: "test",
  WEBHOOK_AUTH: "path-token",
  WEBHOOK_SECRET: "webhook-secret-of-the-test",
  WEBHOOK_HOST: "127.0.0.1",
  WEBHOOK_PORT: "0",
  MANAGEMENT_HOST: "127.0.0.1",
  MANAGEMENT_PORT: "0",
} as const;

const environment = (env: Env): NodeJS.ProcessEnv => ({ ...withoutSettings(process.env), ...env });

/** Runs a command of the built program to its end. */
export const cli = (args: readonly string[], env: Env, timeoutMs = 30_000): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [main, ...args],
      { env: environment(env), timeout: timeoutMs, killSignal: "SIGKILL", maxBuffer: 64 * 1_048_576 },
      (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
        resolve({ code, out, err });
      },
    );
  });

export type Background = {
  /** Its standard output so far. */
  lines: readonly string[];
  /** Resolves when a line fits; rejects when the command ends before. */
  untilLine(fits: (line: string) => boolean, what: string): Promise<string>;
  /** Sends SIGTERM and gives the exit code. */
  stop(): Promise<number>;
};

/** Starts a command of the built program that runs on. It ends with the test process at the latest. */
export const background = async (args: readonly string[], env: Env): Promise<Background> => {
  const folder = await mkdtemp(join(tmpdir(), "cambio-bridge-test-"));
  const logFile = join(folder, "stderr.log");
  const lines: string[] = [];
  const child = await tether([process.execPath, main, ...args], {
    logFile,
    doomedFolder: folder,
    env: environment(env),
    onLine: (line) => void lines.push(line),
  });
  return {
    lines,
    untilLine: async (fits, what) => {
      await eventually(() => !child.isRunning() || lines.some(fits), what, 30_000);
      const line = lines.find(fits);
      if (line === undefined) throw new Error(`${args.join(" ")} ended: ${await readFile(logFile, "utf8")}`);
      return line;
    },
    stop: async () => {
      await end(child, "SIGTERM");
      const code = await child.exited();
      await rm(folder, { recursive: true, force: true });
      return code;
    },
  };
};

export type Served = Background & {
  /** Where notifications go, the secret of the path included. */
  webhookUrl: string;
  managementUrl: string;
  /** Waits until it is ready, as an orchestrator would. */
  untilReady(withinMs?: number): Promise<void>;
};

type Running = { addresses: { webhooks: { port: number } | null; management: { port: number } } };

/** Starts `serve`, and resolves when it is ready. */
export const serve = async (env: Env): Promise<Served> => {
  const running = await background(["serve"], { ...basics, ...env });
  const line = await running.untilLine((text) => text.includes('"bridge.running"'), "serve to run");
  const { webhooks, management } = (JSON.parse(line) as Running).addresses;
  const managementUrl = `http://127.0.0.1:${management.port}`;
  const untilReady = async (withinMs = 30_000): Promise<void> => {
    await eventually(
      async () => (await fetch(`${managementUrl}/readyz`)).status === 200,
      "serve to be ready",
      withinMs,
    );
  };
  await untilReady();
  return {
    ...running,
    managementUrl,
    webhookUrl: `http://127.0.0.1:${webhooks?.port ?? 0}/webhooks/transaction-status/${basics.WEBHOOK_SECRET}`,
    untilReady,
  };
};
