import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { registryFolder } from "./download.mjs";
import { endChild, startChild } from "../child.mjs";
import { freePort } from "./ports.mjs";
import { untilReady } from "./probe.mjs";
import { hasJava, javaCommand, nothingToRunKafkaWith } from "./requirements.mjs";

const RUNNER = "apicurio-registry-app-3.0.9-runner.jar";
const READY_MS = 60_000;
const REQUEST_MS = 2_000;

/**
 * Starts a schema registry that speaks Confluent's API, kept in memory, on a free port of 127.0.0.1.
 * @param {object} [options]
 * @param {import("./download.mjs").Say} [options.say]
 * @param {number} [options.port] for a new start at the same address
 * @returns {Promise<{ url: string, port: number, pid: number, stop: () => Promise<void> }>}
 */
export async function startRegistry({ say = () => {}, port } = {}) {
  if (!(await hasJava())) throw nothingToRunKafkaWith();
  const installation = await registryFolder(say);
  const folder = await mkdtemp(join(tmpdir(), "cambio-bridge-registry-"));
  const listenOn = port ?? (await freePort());
  const url = `http://127.0.0.1:${listenOn}/apis/ccompat/v7`;
  const child = await startChild(
    [
      javaCommand(),
      ...["-Xmx384m", "-Xshare:auto", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"],
      "-Dquarkus.http.host=127.0.0.1",
      `-Dquarkus.http.port=${listenOn}`,
      "-jar",
      join(installation, RUNNER),
    ],
    { logFile: join(folder, "registry.log"), ownFolder: folder, cwd: folder },
  );
  const stop = async () => {
    await endChild(child, "SIGKILL");
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await untilReady({
      what: `The schema registry (port ${listenOn})`,
      process: child,
      withinMs: READY_MS,
      attempt: async () => {
        const answer = await fetch(`${url}/subjects`, { signal: AbortSignal.timeout(REQUEST_MS) });
        await answer.text();
        return answer.status === 200;
      },
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, port: listenOn, pid: child.pid, stop };
}
