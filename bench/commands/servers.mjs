import { existsSync } from "node:fs";
import { join } from "node:path";
import { Pool } from "undici";
import { endChild, startChild } from "../../dev/child.mjs";
import { freePort } from "../../dev/cluster/ports.mjs";
import { untilReady } from "../../dev/cluster/probe.mjs";
import { run } from "../../dev/run.mjs";
import { Failure } from "../../dev/terminal/failure.mjs";

/** @typedef {import("../../dev/program.mjs").Scope} Scope */
/** @typedef {{ projectFolder: string, logFolder: string, scope: Scope, brokers: string, registryUrl: string }} Surroundings */
/** @typedef {{ url: string, setLatency: (ms: number) => Promise<void>, calls: () => Promise<string[]> }} Partner */
/** @typedef {{ name: string, pid: number, commands: string, results: string, stop: () => Promise<void> }} Server */

const PARTITIONS = 6;
const READY_MS = 30_000;
const PROBE_MS = 2_000;

/** @param {string} url */
const isReady = async (url) => {
  const answer = await fetch(url, { signal: AbortSignal.timeout(PROBE_MS) });
  await answer.body?.cancel();
  return answer.status === 200;
};

/** @param {Surroundings} surroundings @returns {Promise<Partner>} */
export async function startPartner({ projectFolder, logFolder, scope }) {
  const port = await freePort();
  const program = join(projectFolder, "bench", "commands", "partner.mjs");
  const child = await startChild([process.execPath, program, JSON.stringify({ port })], {
    logFile: join(logFolder, "partner.log"),
    cwd: projectFolder,
  });
  scope.defer(() => endChild(child, "SIGTERM"));
  const url = `http://127.0.0.1:${port}`;
  const attempt = () => isReady(`${url}/calls`);
  await untilReady({ what: "The partner", process: child, withinMs: READY_MS, attempt });
  const pool = new Pool(url, { connections: 1 });
  scope.defer(() => pool.destroy());
  return {
    url,
    setLatency: async (ms) => {
      const { body } = await pool.request({ method: "PUT", path: `/latency/${ms}` });
      await body.dump();
    },
    calls: async () => {
      const { body } = await pool.request({ method: "GET", path: "/calls" });
      return /** @type {string[]} */ (await body.json());
    },
  };
}

/**
 * @param {Surroundings} surroundings
 * @param {{ admin: import("kafkajs").Admin, partner: Partner, inFlight: number, keepAlive: string }} options
 * @returns {Promise<Server>}
 */
export async function startBare(
  { projectFolder, logFolder, brokers },
  { admin, partner, inFlight, keepAlive },
) {
  const name = `bare-${inFlight}-${keepAlive}`;
  const [commands, results] = [`${name}.commands`, `${name}.results`];
  await admin.createTopics({
    topics: [commands, results].map((topic) => ({ topic, numPartitions: PARTITIONS })),
    waitForLeaders: true,
  });
  const reuse = keepAlive !== "0";
  const options = { brokers, partnerUrl: partner.url, inFlight, reuse, commands, results, groupId: name };
  const program = join(projectFolder, "bench", "commands", "bare-loop.mjs");
  const child = await startChild([process.execPath, program, JSON.stringify(options)], {
    logFile: join(logFolder, `${name}.log`),
    cwd: projectFolder,
  });
  return { name: "bare loop", pid: child.pid, commands, results, stop: () => endChild(child, "SIGKILL") };
}

/**
 * The bridge as anyone runs it, with the commands flow alone.
 * @param {Surroundings} surroundings
 * @param {{ partner: Partner, inFlight: number, keepAlive: string, nodeArgs: string[] }} options
 * @returns {Promise<Server>}
 */
export async function startBridge(
  { projectFolder, logFolder, brokers, registryUrl },
  { partner, inFlight, keepAlive, nodeArgs },
) {
  const name = `bridge-${inFlight}-${keepAlive}`;
  const managementPort = await freePort();
  const [commands, results] = [`${name}.commands`, `${name}.results`];
  const env = {
    PATH: process.env.PATH,
    FLOWS: "commands",
    KAFKA_BROKERS: brokers,
    KAFKA_GROUP_ID: name,
    SCHEMA_REGISTRY_URL: registryUrl,
    PARTNER_BASE_URL: partner.url,
    PARTNER_ACCESS_TOKEN: "only-for-the-benchmark",
    PARTNER_X_TOKEN: "only-for-the-benchmark",
    PARTNER_NAME: "bench",
    PARTNER_MAX_CONNECTIONS: String(inFlight),
    PARTNER_KEEP_ALIVE: keepAlive,
    COMMANDS_MAX_IN_FLIGHT: String(inFlight),
    TOPIC_COMMANDS: commands,
    TOPIC_COMMAND_RESULTS: results,
    TOPIC_COMMAND_JOURNAL: `${name}.journal`,
    TOPIC_DEAD_LETTERS: `${name}.dead-letters`,
    TOPIC_TRANSACTION_STATUS: `${name}.events`,
    TOPIC_PARTITIONS: String(PARTITIONS),
    MANAGEMENT_HOST: "127.0.0.1",
    MANAGEMENT_PORT: String(managementPort),
  };
  const main = join(projectFolder, "dist", "main.js");
  if (!existsSync(main)) throw new Failure("dist/main.js is not there: run `npm run build` first.");
  await run(process.execPath, [main, "setup"], { env, cwd: projectFolder });
  const child = await startChild([process.execPath, ...nodeArgs, main, "serve"], {
    logFile: join(logFolder, `${name}.log`),
    cwd: projectFolder,
    env,
  });
  const attempt = () => isReady(`http://127.0.0.1:${managementPort}/readyz`);
  await untilReady({ what: "The bridge", process: child, withinMs: READY_MS, attempt });
  return { name: "bridge", pid: child.pid, commands, results, stop: () => endChild(child, "SIGTERM") };
}
