import { readFile } from "node:fs/promises";
import { freePort } from "../../dev/cluster/ports.mjs";
import { bridgeSettings, isReady, setUp, startBridge, topicsOf } from "../bridge.mjs";
import { startProgram } from "../environment.mjs";
import { processFigures } from "../figures.mjs";

/** @typedef {import("../environment.mjs").Environment} Environment */
/** @typedef {Awaited<ReturnType<typeof startSandbox>>} Sandbox */

const NAME = "bench";
export const TOPICS = topicsOf(NAME);

/** @param {Environment} environment */
export async function startSandbox(environment) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await startProgram(environment, {
    name: "sandbox",
    args: ["sandbox/dist/main.js", "--port", String(port), "--accept-unknown-quotes"],
    attempt: () => isReady(`${url}/_sandbox/log`),
  });
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

/** Settings of a bridge with all flows, whose topics are there. @param {Environment} environment @param {string} sandboxUrl @param {string} every time between two runs */
export async function prepareReconcileBridge(environment, sandboxUrl, every) {
  const settings = await bridgeSettings(environment, {
    name: NAME,
    flows: "webhooks,commands,reconcile",
    partnerUrl: sandboxUrl,
    settings: { RECONCILE_EVERY: every },
  });
  await setUp(environment, settings);
  return settings;
}

/**
 * @typedef {object} RunLine a log line of the bridge about a run
 * @property {string} event
 * @property {number} entries
 * @property {number} known
 * @property {number} published
 * @property {number} ms
 */

/** @param {Environment} environment @param {import("../bridge.mjs").BridgeSettings} settings */
export async function startReconcileBridge(environment, settings) {
  const { port, managementUrl } = settings;
  const { pid, logFile } = await startBridge(environment, settings);
  return {
    port,
    /** The most resident memory so far; null where there is no /proc. */
    peakMb: async () => (await processFigures(pid))?.peakMb ?? null,
    /** A counter of /metrics. @param {string} name with its labels */
    counter: async (name) => {
      const answer = await fetch(`${managementUrl}/metrics`);
      const line = (await answer.text()).split("\n").find((text) => text.startsWith(`${name} `));
      return Number(line?.slice(name.length + 1) ?? 0);
    },
    /** The log lines of its runs. @returns {Promise<RunLine[]>} */
    runs: async () => {
      const lines = (await readFile(logFile, "utf8")).split("\n");
      return lines.flatMap((line) => {
        if (!/"reconcile\.(complete|incomplete|suspicious|failed)"/.test(line)) return [];
        return [/** @type {RunLine} */ (JSON.parse(line))];
      });
    },
  };
}
