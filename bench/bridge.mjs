// The bridge as the measurements start it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { endChild, startChild } from "../dev/child.mjs";
import { freePort } from "../dev/cluster/ports.mjs";
import { untilReady } from "../dev/cluster/probe.mjs";
import { NODE_FLAGS } from "../dev/main.mjs";
import { run } from "../dev/run.mjs";
import { Failure } from "../dev/terminal/failure.mjs";

/** @typedef {import("./environment.mjs").Environment} Environment */
/** @typedef {Awaited<ReturnType<typeof bridgeSettings>>} BridgeSettings */

/** Where webhooks go to, and how they are signed. */
export const TARGET = {
  path: "/webhooks/transaction-status",
  secret: "only-for-the-benchmark",
  signatureHeader: "x-signature",
};
/** What the partner requires of each request. */
export const PARTNER_HEADERS = {
  authorization: "Bearer only-for-the-benchmark",
  "x-token": "only-for-the-benchmark",
  "content-type": "application/json",
  accept: "application/json",
  "user-agent": "cambio-bridge-bench",
};
export const PARTITIONS = 6;
/** Discards what is sent to it: nothing listens there. */
const NO_PARTNER = "http://127.0.0.1:9";
const READY_MS = 60_000;
const PROBE_MS = 2_000;

/** @param {string} url */
export const isReady = async (url) => {
  const answer = await fetch(url, { signal: AbortSignal.timeout(PROBE_MS) });
  await answer.body?.cancel();
  return answer.status === 200;
};

/** @param {string} name of a bridge */
export const topicsOf = (name) => ({
  events: `${name}.events`,
  commands: `${name}.commands`,
  results: `${name}.results`,
  journal: `${name}.journal`,
});

/**
 * Settings of a bridge with topics and a group of its own.
 * @param {Environment} environment
 * @param {{ name: string, flows: string, partnerUrl?: string, settings?: Record<string, string> }} options `settings` come on top
 */
export async function bridgeSettings(
  { brokers, registryUrl },
  { name, flows, partnerUrl = NO_PARTNER, settings = {} },
) {
  const [port, managementPort] = [await freePort(), await freePort()];
  const topics = topicsOf(name);
  return {
    name,
    topics,
    port,
    managementUrl: `http://127.0.0.1:${managementPort}`,
    env: {
      PATH: process.env.PATH,
      FLOWS: flows,
      KAFKA_BROKERS: brokers,
      KAFKA_GROUP_ID: name,
      SCHEMA_REGISTRY_URL: registryUrl,
      PARTNER_BASE_URL: partnerUrl,
      PARTNER_ACCESS_TOKEN: "only-for-the-benchmark",
      PARTNER_X_TOKEN: "only-for-the-benchmark",
      PARTNER_NAME: "bench",
      TOPIC_TRANSACTION_STATUS: topics.events,
      TOPIC_COMMANDS: topics.commands,
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
      ...settings,
    },
  };
}

/** @param {Environment} environment */
const mainOf = ({ projectFolder }) => {
  const main = join(projectFolder, "dist", "main.js");
  if (!existsSync(main)) throw new Failure("dist/main.js is not there: run `npm run build` first.");
  return main;
};

/** Creates the topics and schemas. @param {Environment} environment @param {BridgeSettings} settings */
export const setUp = (environment, { env }) =>
  run(process.execPath, [mainOf(environment), "setup"], { env, cwd: environment.projectFolder });

/**
 * Starts the bridge as it starts where it is installed, and does not wait until it is ready.
 * @param {Environment} environment
 * @param {BridgeSettings} settings
 */
export async function launchBridge(environment, { name, env }) {
  const { projectFolder, logFolder, scope } = environment;
  const logFile = join(logFolder, `${name}.log`);
  const program = [process.execPath, ...NODE_FLAGS, mainOf(environment), "serve"];
  const child = await startChild(program, { logFile, cwd: projectFolder, env });
  scope.defer(() => endChild(child, "SIGTERM"));
  return { child, logFile };
}

/** Starts the bridge, and resolves when it is ready. @param {Environment} environment @param {BridgeSettings} settings */
export async function startBridge(environment, settings) {
  const { child, logFile } = await launchBridge(environment, settings);
  await untilReady({
    what: `The bridge ${settings.name}`,
    process: child,
    withinMs: READY_MS,
    attempt: () => isReady(`${settings.managementUrl}/readyz`),
  });
  return { pid: child.pid, logFile, stop: () => endChild(child, "SIGTERM") };
}
