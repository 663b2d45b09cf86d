import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { endChild } from "../../dev/child.mjs";
import { isReady, launchBridge } from "../bridge.mjs";
import { processFigures } from "../process-figures.mjs";
import { measureAnswers } from "./measure-answers.mjs";

/** @typedef {import("../bridge.mjs").BridgeSettings} BridgeSettings */
/** @typedef {import("../environment.mjs").Environment} Environment */

const LOOK_EVERY_MS = 20;

/**
 * Starts the bridge, waits until it is ready, and ends it; measures how long that took and how fast it answered meanwhile.
 * @param {Environment} environment
 * @param {BridgeSettings} settings
 * @param {{ nodeArgs: string[], withinMs: number }} options
 */
export async function timeStart(environment, settings, { nodeArgs, withinMs }) {
  const { port, managementUrl: url } = settings;
  const startedAt = performance.now();
  const { child } = await launchBridge(environment, settings, nodeArgs);
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
  return {
    readyMs,
    cpuSeconds: figures?.cpuSeconds ?? null,
    rssMb: figures?.rssMb ?? null,
    peakMb: figures?.peakMb ?? null,
    ...latencies,
  };
}
