import { join } from "node:path";
import { Pool } from "undici";
import { endChild, startChild } from "../../dev/child.mjs";
import { freePort } from "../../dev/cluster/ports.mjs";
import { bridgeSettings, isReady, PARTITIONS, setUp, startBridge } from "../bridge.mjs";
import { startProgram } from "../environment.mjs";

/** @typedef {import("../environment.mjs").Environment} Environment */
/** @typedef {{ url: string, setLatency: (ms: number) => Promise<void>, calls: () => Promise<string[]> }} Partner */
/** @typedef {{ name: string, pid: number, commands: string, results: string, stop: () => Promise<void> }} Server */

/** @param {Environment} environment @returns {Promise<Partner>} */
export async function startPartner(environment) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await startProgram(environment, {
    name: "partner",
    args: ["bench/commands/partner.mjs", JSON.stringify({ port })],
    attempt: () => isReady(`${url}/calls`),
  });
  const pool = new Pool(url, { connections: 1 });
  environment.scope.defer(() => pool.destroy());
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
 * @param {Environment} environment
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
 * The bridge with the commands flow alone.
 * @param {Environment} environment
 * @param {{ partner: Partner, inFlight: number, keepAlive: string }} options
 * @returns {Promise<Server>}
 */
export async function startCommandsBridge(environment, { partner, inFlight, keepAlive }) {
  const settings = await bridgeSettings(environment, {
    name: `bridge-${inFlight}-${keepAlive}`,
    flows: "commands",
    partnerUrl: partner.url,
    settings: {
      PARTNER_MAX_CONNECTIONS: String(inFlight),
      PARTNER_KEEP_ALIVE: keepAlive,
      COMMANDS_MAX_IN_FLIGHT: String(inFlight),
    },
  });
  await setUp(environment, settings);
  const { pid, stop } = await startBridge(environment, settings);
  const { commands, results } = settings.topics;
  return { name: "bridge", pid, commands, results, stop };
}
