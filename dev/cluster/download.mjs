import { existsSync } from "node:fs";
import { writeFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cached, cacheFolder } from "./cache.mjs";
import { hasMaven, javaCommand, nothingToRunKafkaWith } from "./requirements.mjs";
import { run } from "../run.mjs";

/** @typedef {(line: string) => void} Say tells the person at the terminal what happens */

const POM = fileURLToPath(new URL("pom.xml", import.meta.url));
/** Another version, from 3.3 on, to try the bridge with: `CAMBIO_BRIDGE_KAFKA=3.6.2`. */
const KAFKA_VERSION = process.env.CAMBIO_BRIDGE_KAFKA ?? "4.3.1";
const KAFKA = `kafka-${KAFKA_VERSION}`;
const REGISTRY = "apicurio-registry-3.0.9";
const REGISTRY_ARTIFACT = "io.apicurio:apicurio-registry-app:3.0.9:tar.gz:all";
const DOWNLOAD_MS = 10 * 60_000;

/** @returns {boolean} whether both are there already, so that Maven is not needed */
export const isDownloaded = () => [KAFKA, REGISTRY].every((name) => existsSync(join(cacheFolder(), name)));

/** One run of Maven at a time: two would damage its local repository. */
let lastMavenRun = Promise.resolve("");

/** @param {string[]} args */
function maven(args) {
  const attempt = () =>
    run("mvn", ["-q", "-B", "-f", POM, `-Dkafka.version=${KAFKA_VERSION}`, ...args], {
      timeoutMs: DOWNLOAD_MS,
    });
  const result = lastMavenRun.then(async () => {
    if (!(await hasMaven())) throw nothingToRunKafkaWith();
    return attempt().catch(attempt);
  });
  lastMavenRun = result.catch(() => "");
  return result;
}

/**
 * @param {string} what
 * @param {Say} say
 * @param {() => Promise<void>} work
 */
async function withProgress(what, say, work) {
  const startedAt = Date.now();
  say(`downloading ${what} (once, into ${cacheFolder()})`);
  await work();
  say(`downloaded ${what} in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

/**
 * @param {Say} say
 * @returns {Promise<string>} a folder with `lib/*.jar` and the `bootstrap.checkpoint` that a formatted data folder starts from
 */
export const kafkaFolder = (say) =>
  cached(KAFKA, (folder) =>
    withProgress(`Apache Kafka ${KAFKA_VERSION}, 43 MB`, say, async () => {
      const lib = join(folder, "lib");
      await maven(["dependency:copy-dependencies", "-DincludeScope=runtime", `-DoutputDirectory=${lib}`]);
      await format(lib, folder);
    }),
  );

/**
 * Formats a data folder once and keeps the result, which is the same for every broker but for ids: formatting takes a start of Java.
 * @param {string} lib
 * @param {string} folder
 */
async function format(lib, folder) {
  const properties = join(folder, "format.properties");
  const data = join(folder, "format");
  await writeFile(
    properties,
    [
      "process.roles=broker,controller",
      "node.id=1",
      "controller.quorum.voters=1@127.0.0.1:9093",
      "listeners=PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093",
      "controller.listener.names=CONTROLLER",
      `log.dirs=${data}`,
    ].join("\n"),
  );
  const command = ["format", "-t", "AAAAAAAAAAAAAAAAAAAAAQ", "-c", properties];
  await run(javaCommand(), ["-cp", join(lib, "*"), "kafka.tools.StorageTool", ...command]);
  await run("mv", [join(data, "bootstrap.checkpoint"), folder]);
  await Promise.all([rm(data, { recursive: true }), rm(properties)]);
}

/**
 * @param {Say} say
 * @returns {Promise<string>} a folder with the registry's runner jar at its root
 */
export const registryFolder = (say) =>
  cached(REGISTRY, (folder) =>
    withProgress("Apicurio Registry 3.0.9, 109 MB", say, async () => {
      await maven(["dependency:copy", `-Dartifact=${REGISTRY_ARTIFACT}`, `-DoutputDirectory=${folder}`]);
      const archive = join(folder, "apicurio-registry-app-3.0.9-all.tar.gz");
      await run("tar", ["xzf", archive, "-C", folder]);
      await rm(archive);
    }),
  );
