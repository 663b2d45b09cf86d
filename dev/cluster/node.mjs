import { randomBytes } from "node:crypto";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startChild } from "../child.mjs";
import { javaCommand } from "./requirements.mjs";

/** @typedef {import("./broker-settings.mjs").Node} Node */

const LOG_CONFIG = fileURLToPath(new URL("log4j2.xml", import.meta.url));

/** An id in Kafka's form. It must not begin with a dash, or tools take it for an option. */
export const uuid = () => `A${randomBytes(16).toString("base64url").slice(1)}`;

/** @param {{ heapMb: number, throughput: boolean, flags: string[] }} options */
const flagsFor = ({ heapMb, throughput, flags }) => [
  `-Xmx${heapMb}m`,
  "-Xshare:auto",
  ...(throughput ? ["-XX:+UseG1GC"] : ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]),
  ...flags,
];

/**
 * Writes the settings and the formatted data folder of one node.
 * @param {object} options
 * @param {Node} options.node
 * @param {string} options.properties
 * @param {string} options.folder of the cluster
 * @param {string} options.installation see {@link import("./download.mjs").kafkaFolder}
 * @param {string} options.clusterId
 * @param {{ heapMb: number, throughput: boolean, flags: string[] }} options.java
 * @returns {Promise<() => Promise<import("../child.mjs").Child>>} starts its process; may be called again when that has ended
 */
export async function prepareNode({ node, properties, folder, installation, clusterId, java }) {
  await mkdir(node.dataFolder, { recursive: true });
  const settingsFile = join(folder, `node-${node.id}.properties`);
  const metaProperties = `version=1\ncluster.id=${clusterId}\nnode.id=${node.id}\ndirectory.id=${uuid()}\n`;
  await Promise.all([
    writeFile(settingsFile, properties),
    writeFile(join(node.dataFolder, "meta.properties"), metaProperties),
    copyFile(join(installation, "bootstrap.checkpoint"), join(node.dataFolder, "bootstrap.checkpoint")),
  ]);
  const command = [
    javaCommand(),
    ...flagsFor(java),
    `-Dlog4j2.configurationFile=${LOG_CONFIG}`,
    "-cp",
    join(installation, "lib", "*"),
    "kafka.Kafka",
    settingsFile,
  ];
  const logFile = join(folder, `node-${node.id}.log`);
  return () => startChild(command, { logFile, ownFolder: folder, cwd: folder });
}
