import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../dev/cluster/ports.mjs";
import { tether, type Tethered } from "../../dev/cluster/lifeline.mjs";
import { run } from "../../dev/run.mjs";
import { eventually } from "./eventually.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MAIN = join(ROOT, "dist", "main.js");

export type Cluster = { kafkaBrokers: string; schemaRegistryUrl: string };

/** A running `serve`, seen from outside only. */
export type Replica = {
  name: string;
  process: Tethered;
  webhookUrl: string;
  managementUrl: string;
  isReady(): Promise<boolean>;
};

/** Topics, a sandbox and replicas of a test's own, all ended by `close`. */
export type World = {
  env: Record<string, string>;
  topics: { events: string; commands: string; results: string; journal: string; deadLetters: string };
  groupId: string;
  sandboxUrl: string;
  /** Asks the sandbox's control API. */
  sandbox<T>(path: string, body?: unknown): Promise<T>;
  startReplica(env?: Record<string, string>): Promise<Replica>;
  /** Runs a command of the program to its end and gives what it wrote. */
  cli(args: string[], env?: Record<string, string>): Promise<string>;
  close(): Promise<void>;
};

const isReady = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) })).status === 200;
  } catch {
    return false;
  }
};

/**
 * Provisions topics under fresh names and starts a sandbox.
 * @param options.env settings on top of those that point everything at each other
 */
export const openWorld = async (
  cluster: Cluster,
  options: { env?: Record<string, string>; sandboxArgs?: string[] } = {},
): Promise<World> => {
  const id = randomUUID().slice(0, 8);
  const folder = await mkdtemp(join(tmpdir(), "cambio-bridge-world-"));
  const started: Tethered[] = [];
  const topics = {
    events: `events-${id}`,
    commands: `commands-${id}`,
    results: `results-${id}`,
    journal: `journal-${id}`,
    deadLetters: `dead-letters-${id}`,
  };
  const groupId = `group-${id}`;
  const sandboxPort = await freePort();
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const env: Record<string, string> = {
    PATH: process.env["PATH"] ?? "",
    KAFKA_BROKERS: cluster.kafkaBrokers,
    KAFKA_GROUP_ID: groupId,
    KAFKA_SESSION_TIMEOUT: "6s",
    SCHEMA_REGISTRY_URL: cluster.schemaRegistryUrl,
    PARTNER_BASE_URL: sandboxUrl,
    PARTNER_ACCESS_TOKEN: "token-of-a-test",
    PARTNER_X_TOKEN: "x-token-of-a-test",
    PARTNER_NAME: "tester",
    WEBHOOK_HOST: "127.0.0.1",
    WEBHOOK_AUTH: "none",
    MANAGEMENT_HOST: "127.0.0.1",
    TOPIC_TRANSACTION_STATUS: topics.events,
    TOPIC_COMMANDS: topics.commands,
    TOPIC_COMMAND_RESULTS: topics.results,
    TOPIC_COMMAND_JOURNAL: topics.journal,
    TOPIC_DEAD_LETTERS: topics.deadLetters,
    ...options.env,
  };

  const start = async (
    name: string,
    args: string[],
    more: Record<string, string> = {},
  ): Promise<Tethered> => {
    const child = await tether([process.execPath, MAIN, ...args], {
      cwd: ROOT,
      env: { ...env, ...more },
      logFile: join(folder, `${name}.log`),
    });
    started.push(child);
    return child;
  };

  const sandbox = async <T>(path: string, body?: unknown): Promise<T> => {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(sandboxUrl + path, init);
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  };

  const cli = (args: string[], more: Record<string, string> = {}): Promise<string> =>
    run(process.execPath, [MAIN, ...args], { cwd: ROOT, env: { ...env, ...more }, timeoutMs: 60_000 });

  await start("sandbox", ["sandbox", "--port", String(sandboxPort), ...(options.sandboxArgs ?? [])]);
  await cli(["setup"]);
  await eventually(() => sandbox("/_sandbox/executions"), "the sandbox", 10_000);

  let replicas = 0;
  return {
    env,
    topics,
    groupId,
    sandboxUrl,
    sandbox,
    cli,
    startReplica: async (more = {}) => {
      replicas += 1;
      const name = `replica-${replicas}`;
      const [webhookPort, managementPort] = [await freePort(), await freePort()];
      const ports = { WEBHOOK_PORT: String(webhookPort), MANAGEMENT_PORT: String(managementPort) };
      const child = await start(name, ["serve"], { ...ports, ...more });
      const managementUrl = `http://127.0.0.1:${managementPort}`;
      return {
        name,
        process: child,
        managementUrl,
        webhookUrl: `http://127.0.0.1:${webhookPort}/webhooks/transaction-status`,
        isReady: () => isReady(managementUrl),
      };
    },
    close: async () => {
      for (const child of started) {
        if (!child.isRunning()) continue;
        child.signal("SIGCONT");
        child.signal("SIGKILL");
        await child.exited();
      }
      if (process.env["KEEP_LOGS"] === undefined) await rm(folder, { recursive: true, force: true });
      else console.log(`logs are in ${folder}`);
    },
  };
};
