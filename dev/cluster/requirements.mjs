import { join } from "node:path";
import { CommandError, run } from "../run.mjs";
import { Failure } from "../terminal/failure.mjs";

const OLDEST_JAVA = 17;
const PROBE_MS = 10_000;

/** @returns {string} the java command of JAVA_HOME, else of the PATH */
export const javaCommand = (env = process.env) =>
  env.JAVA_HOME ? join(env.JAVA_HOME, "bin", "java") : "java";

/**
 * @param {string} banner what `java -version` prints
 * @returns {number} the major version, 0 when it cannot be told
 */
export function javaMajor(banner) {
  const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(banner) ?? [];
  return Number(first === "1" ? second : first) || 0;
}

/** @param {Promise<string>} probe @returns {Promise<string>} its output, empty when the command is missing or fails */
async function outputOrNothing(probe) {
  try {
    return await probe;
  } catch (error) {
    if (error instanceof CommandError) return "";
    throw error;
  }
}

export async function hasJava() {
  return (
    javaMajor(await outputOrNothing(run(javaCommand(), ["-version"], { timeoutMs: PROBE_MS }))) >= OLDEST_JAVA
  );
}

export async function hasMaven() {
  return (await outputOrNothing(run("mvn", ["--version"], { timeoutMs: PROBE_MS }))) !== "";
}

export async function hasDockerCompose() {
  const [engine, compose] = await Promise.all([
    outputOrNothing(run("docker", ["info", "--format", "{{.ServerVersion}}"], { timeoutMs: 3_000 })),
    outputOrNothing(run("docker", ["compose", "version"], { timeoutMs: 3_000 })),
  ]);
  return engine !== "" && compose !== "";
}

export const nothingToRunKafkaWith = () =>
  new Failure(
    `A local Kafka needs Java ${OLDEST_JAVA} or newer and Maven, or a running Docker: install them with ` +
      "`sudo apt-get install openjdk-17-jdk-headless maven` (Debian, Ubuntu) or `brew install openjdk maven` (macOS) and try again.",
  );
