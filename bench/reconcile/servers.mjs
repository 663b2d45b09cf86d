import { join } from "node:path";
import { readFile } from "node:fs/promises";
import { endChild, startChild } from "../../dev/child.mjs";
import { freePort } from "../../dev/cluster/ports.mjs";
import { untilReady } from "../../dev/cluster/probe.mjs";
import { run } from "../../dev/run.mjs";
import { isReady, TARGET } from "../webhooks/servers.mjs";

/** @typedef {import("../webhooks/servers.mjs").Surroundings} Surroundings */
/** @typedef {Awaited<ReturnType<typeof startSandbox>>} Sandbox */
/** @typedef {Awaited<ReturnType<typeof startBridge>>} Bridge */

export const TOPICS = { events: "bench.events", commands: "bench.commands", results: "bench.results" };
const READY_MS = 60_000;

/** @param {Surroundings} surroundings */
export async function startSandbox({ projectFolder, logFolder, scope }) {
  const port = await freePort();
  const main = join(projectFolder, "dist", "main.js");
  const child = await startChild(
    [process.execPath, main, "sandbox", "--port", String(port), "--accept-unknown-quotes"],
    { logFile: join(logFolder, "sandbox.log"), cwd: projectFolder },
  );
  scope.defer(() => endChild(child, "SIGTERM"));
  const url = `http://127.0.0.1:${port}`;
  const attempt = () => isReady(`${url}/_sandbox/log`);
  await untilReady({ what: "The sandbox", process: child, withinMs: READY_MS, attempt });
  return {
    url,
    /** Asks the control API. @param {string} method @param {string} path @param {unknown} body */
    control: async (method, path, body) => {
      const answer = await fetch(url + path, { method, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
      return /** @type {unknown} */ (await answer.json());
    },
  };
}

/** @param {Surroundings} surroundings @param {string} sandboxUrl @param {string} every time between two runs */
export async function bridgeSettings({ brokers, registryUrl }, sandboxUrl, every) {
  const [port, managementPort] = [await freePort(), await freePort()];
  return {
    port,
    managementPort,
    env: {
      PATH: process.env.PATH,
      FLOWS: "webhooks,commands,reconcile",
      KAFKA_BROKERS: brokers,
      KAFKA_GROUP_ID: "bench",
      SCHEMA_REGISTRY_URL: registryUrl,
      PARTNER_BASE_URL: sandboxUrl,
      PARTNER_ACCESS_TOKEN: "only-for-the-benchmark",
      PARTNER_X_TOKEN: "only-for-the-benchmark",
      PARTNER_NAME: "bench",
      TOPIC_TRANSACTION_STATUS: TOPICS.events,
      TOPIC_COMMANDS: TOPICS.commands,
      TOPIC_COMMAND_RESULTS: TOPICS.results,
      TOPIC_COMMAND_JOURNAL: "bench.journal",
      TOPIC_DEAD_LETTERS: "bench.dead-letters",
      TOPIC_PARTITIONS: "6",
      RECONCILE_EVERY: every,
      WEBHOOK_HOST: "127.0.0.1",
      WEBHOOK_PORT: String(port),
      WEBHOOK_PATH: TARGET.path,
      WEBHOOK_AUTH: "hmac",
      WEBHOOK_SECRET: TARGET.secret,
      WEBHOOK_SIGNATURE_HEADER: TARGET.signatureHeader,
      MANAGEMENT_HOST: "127.0.0.1",
      MANAGEMENT_PORT: String(managementPort),
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof bridgeSettings>>} BridgeSettings */

/** @param {Surroundings} surroundings @param {BridgeSettings} settings */
export const setUp = ({ projectFolder }, { env }) =>
  run(process.execPath, [join(projectFolder, "dist", "main.js"), "setup"], { env, cwd: projectFolder });

/**
 * @typedef {object} RunLine what the bridge says of a run
 * @property {string} event
 * @property {number} entries
 * @property {number} known
 * @property {number} published
 * @property {number} ms
 */

/**
 * The bridge as anyone runs it, with all flows.
 * @param {Surroundings} surroundings
 * @param {BridgeSettings} settings
 * @param {string[]} nodeArgs
 */
export async function startBridge({ projectFolder, logFolder, scope }, settings, nodeArgs) {
  const { port, managementPort, env } = settings;
  const logFile = join(logFolder, "bridge.log");
  const main = join(projectFolder, "dist", "main.js");
  const child = await startChild([process.execPath, ...nodeArgs, main, "serve"], {
    logFile,
    cwd: projectFolder,
    env,
  });
  scope.defer(() => endChild(child, "SIGTERM"));
  const url = `http://127.0.0.1:${managementPort}`;
  const attempt = () => isReady(`${url}/readyz`);
  await untilReady({ what: "The bridge", process: child, withinMs: READY_MS, attempt });
  return {
    port,
    /** The most memory that it has taken so far, in MB; null where there is no /proc. */
    peakMb: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
      const [, kb] = /VmHWM:\s+(\d+)/.exec(status) ?? [];
      return kb === undefined ? null : Number(kb) / 1000;
    },
    /** A counter of the metrics. @param {string} name with its labels, as they stand there */
    counter: async (name) => {
      const answer = await fetch(`${url}/metrics`);
      const line = (await answer.text()).split("\n").find((text) => text.startsWith(`${name} `));
      return Number(line?.slice(name.length + 1) ?? 0);
    },
    /** What it has said of its runs. @returns {Promise<RunLine[]>} */
    runs: async () => {
      const lines = (await readFile(logFile, "utf8")).split("\n");
      return lines.flatMap((line) => {
        if (!/"reconcile\.(complete|incomplete|suspicious|failed)"/.test(line)) return [];
        return [/** @type {RunLine} */ (JSON.parse(line))];
      });
    },
  };
}
