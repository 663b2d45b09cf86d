import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { endChild, startChild } from "../../dev/child.mjs";
import { freePort } from "../../dev/cluster/ports.mjs";
import { processFigures } from "../webhooks/process-figures.mjs";
import { isReady, TARGET } from "../webhooks/servers.mjs";
import { watchAnswers } from "./answers.mjs";

/** @typedef {import("../webhooks/servers.mjs").Surroundings} Surroundings */
/** @typedef {Awaited<ReturnType<typeof bridgeSettings>>} BridgeSettings */

export const PARTITIONS = 6;
const LOOK_EVERY_MS = 20;

/** @param {string} name of these topics and this group */
export const topicsOf = (name) => ({ journal: `${name}.journal`, results: `${name}.results` });

/** @param {Surroundings} surroundings @param {string} name */
export async function bridgeSettings({ brokers, registryUrl }, name) {
  const [port, managementPort] = [await freePort(), await freePort()];
  const topics = topicsOf(name);
  return {
    port,
    managementPort,
    env: {
      PATH: process.env.PATH,
      FLOWS: "webhooks,commands",
      KAFKA_BROKERS: brokers,
      KAFKA_GROUP_ID: name,
      SCHEMA_REGISTRY_URL: registryUrl,
      PARTNER_BASE_URL: "http://127.0.0.1:9",
      PARTNER_ACCESS_TOKEN: "only-for-the-benchmark",
      PARTNER_X_TOKEN: "only-for-the-benchmark",
      PARTNER_NAME: "bench",
      TOPIC_TRANSACTION_STATUS: `${name}.events`,
      TOPIC_COMMANDS: `${name}.commands`,
      TOPIC_COMMAND_RESULTS: topics.results,
      TOPIC_COMMAND_JOURNAL: topics.journal,
      TOPIC_DEAD_LETTERS: `${name}.dead-letters`,
      TOPIC_CONTROL: `${name}.control`,
      TOPIC_AUDIT: `${name}.audit`,
      TOPIC_PARTITIONS: String(PARTITIONS),
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

/**
 * Starts the bridge as anyone runs it, waits until it is ready, and ends it.
 * @param {Surroundings} surroundings
 * @param {BridgeSettings} settings
 * @param {{ nodeArgs: string[], withinMs: number }} options
 */
export async function timeStart({ projectFolder, logFolder, scope }, settings, { nodeArgs, withinMs }) {
  const { port, managementPort, env } = settings;
  const url = `http://127.0.0.1:${managementPort}`;
  const main = join(projectFolder, "dist", "main.js");
  const startedAt = performance.now();
  const child = await startChild([process.execPath, ...nodeArgs, main, "serve"], {
    logFile: join(logFolder, "bridge.log"),
    cwd: projectFolder,
    env,
  });
  scope.defer(() => endChild(child, "SIGKILL"));
  const answers = watchAnswers({ port, livez: `${url}/livez` });
  while (!(await isReady(`${url}/readyz`).catch(() => false))) {
    if (!child.isRunning() || performance.now() - startedAt > withinMs)
      throw new Error(`the bridge did not become ready; the end of its log:\n${await child.logTail()}`);
    await sleep(LOOK_EVERY_MS);
  }
  const readyMs = performance.now() - startedAt;
  const figures = await processFigures(child.pid);
  const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
  const [, peakKb] = /VmHWM:\s+(\d+)/.exec(status) ?? [];
  const latencies = await answers.stop();
  await endChild(child, "SIGTERM");
  return {
    readyMs,
    cpuSeconds: figures?.cpuSeconds ?? null,
    rssMb: figures?.rssMb ?? null,
    peakMb: peakKb === undefined ? null : Number(peakKb) / 1000,
    ...latencies,
  };
}
