import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { endChild } from "../../dev/child.mjs";
import { isReady, launchBridge } from "../bridge.mjs";
import { processFigures } from "../figures.mjs";
import { measureAnswers } from "./measure-answers.mjs";

/** @typedef {import("../bridge.mjs").BridgeSettings} BridgeSettings */
/** @typedef {import("../environment.mjs").Environment} Environment */

const LOOK_EVERY_MS = 20;
const NO_FIGURES = { cpuSeconds: null, rssMb: null, peakMb: null };

/**
 * Starts the bridge, waits until it is ready, and ends it; measures how long that took and how fast it answered meanwhile.
 * @param {Environment} environment
 * @param {BridgeSettings} settings
 * @param {number} withinMs
 */
export async function timeStart(environment, settings, withinMs) {
  const { port, managementUrl: url } = settings;
  const startedAt = performance.now();
  const { child } = await launchBridge(environment, settings);
  const answers = measureAnswers({ port, livez: `${url}/livez` });
  while (!(await isReady(`${url}/readyz`).catch(() => false))) {
    if (!child.isRunning() || performance.now() - startedAt > withinMs)
      throw new Error(`the bridge did not become ready; the end of its log:\n${await child.logTail()}`);
    await sleep(LOOK_EVERY_MS);
  }
  const readyMs = performance.now() - startedAt;
  const figures = await processFigures(child.pid);
  const latencies = await answers.stop();
  await endChild(child, "SIGTERM");
  return { readyMs, ...(figures ?? NO_FIGURES), ...latencies };
}
