import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { run } from "../run.mjs";
import { freePort } from "./ports.mjs";

const COMPOSE_FILE = fileURLToPath(new URL("../../docker-compose.yml", import.meta.url));
const PULL_AND_START_MS = 10 * 60_000;

/**
 * Kafka and registry of docker-compose.yml, for machines without Java. They don't outlive this process:
 * a shell waits until its standard input closes, and takes the containers down.
 * @param {import("./download.mjs").Say} say
 */
export async function startInDocker(say) {
  const [kafkaPort, registryPort] = await Promise.all([freePort(), freePort()]);
  const compose = ["compose", "-f", COMPOSE_FILE, "-p", `cambio-bridge-${process.pid}`];
  const env = {
    ...process.env,
    LOCAL_KAFKA_PORT: String(kafkaPort),
    LOCAL_REGISTRY_PORT: String(registryPort),
  };

  const down = [...compose, "down", "--volumes", "--timeout", "2"];
  const watchdog = spawn("/bin/sh", ["-c", 'read -r _; exec docker "$@"', "lifeline", ...down], {
    env,
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const gone = once(watchdog, "exit");
  watchdog.unref();
  /** @type {import("node:net").Socket} */ (/** @type {unknown} */ (watchdog.stdin)).unref();
  const stop = async () => {
    watchdog.ref();
    watchdog.stdin.end();
    await gone;
  };

  try {
    say("starting containers; their images are downloaded once");
    await run("docker", [...compose, "up", "--detach", "--wait", "kafka", "registry"], {
      env,
      timeoutMs: PULL_AND_START_MS,
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    bootstrapServers: `127.0.0.1:${kafkaPort}`,
    registryUrl: `http://127.0.0.1:${registryPort}/apis/ccompat/v7`,
    stop,
  };
}
