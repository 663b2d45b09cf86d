import { startInDocker } from "./docker.mjs";
import { isDownloaded } from "./download.mjs";
import { startKafka } from "./kafka.mjs";
import { startRegistry } from "./registry.mjs";
import { hasDockerCompose, hasJava, hasMaven, nothingToRunKafkaWith } from "./requirements.mjs";

/** @typedef {{ bootstrapServers: string, registryUrl: string, stop: () => Promise<void> }} LocalCluster */

async function howToRun() {
  const [java, fetchable] = await Promise.all([hasJava(), isDownloaded() || hasMaven()]);
  if (java && fetchable) return "java";
  if (await hasDockerCompose()) return "docker";
  throw nothingToRunKafkaWith();
}

/**
 * Starts one Kafka broker and a schema registry, by Java where it is installed, else by Docker.
 * @param {import("../terminal/steps.mjs").Steps} steps
 * @returns {Promise<LocalCluster>}
 */
export async function startLocalCluster({ step, say }) {
  if ((await howToRun()) === "docker") {
    return step(
      "starting Kafka and registry (Docker)",
      () => startInDocker(say),
      (cluster) => `Kafka on ${cluster.bootstrapServers}, schema registry on ${cluster.registryUrl}`,
    );
  }
  const [kafka, registry] = await Promise.allSettled([
    step(
      "starting Kafka",
      () => startKafka({ say }),
      ({ bootstrapServers }) => `Apache Kafka on ${bootstrapServers}`,
    ),
    step(
      "starting the schema registry",
      () => startRegistry({ say }),
      ({ url }) => `schema registry on ${url}`,
    ),
  ]);
  const started = [kafka, registry].flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const stop = async () => {
    await Promise.all(started.map((one) => one.stop()));
  };
  if (kafka.status === "fulfilled" && registry.status === "fulfilled") {
    return { bootstrapServers: kafka.value.bootstrapServers, registryUrl: registry.value.url, stop };
  }
  await stop();
  throw kafka.status === "rejected" ? kafka.reason : /** @type {PromiseRejectedResult} */ (registry).reason;
}
