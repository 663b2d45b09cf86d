import { spawnSync } from "node:child_process";
import { cached } from "../../dev/cluster/cache.mjs";
import { run } from "../../dev/run.mjs";

const PACKAGE = "confluent-kafka";
const VERSION = "2.16.0";
const DOWNLOAD_MS = 120_000;

/** Such as 3.11; null where there is no Python. */
export const pythonVersion = (): string | null => {
  const { status, stdout } = spawnSync("python3", [
    "-c",
    "import sys; print('%d.%d' % sys.version_info[:2])",
  ]);
  return status === 0 ? stdout.toString().trim() : null;
};

/**
 * A folder for PYTHONPATH with Confluent's client, from the cache of downloads. Null, with a warning, where it cannot be had.
 * @param python its version: the client is compiled for one
 */
export const confluentKafka = async (python: string): Promise<string | null> => {
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"];
  const wanted = `${PACKAGE}[avro,schemaregistry]==${VERSION}`;
  try {
    return await cached(`${PACKAGE}-${VERSION}-python-${python}`, async (folder) => {
      await run("python3", [...pip, folder, wanted], { timeoutMs: DOWNLOAD_MS });
    });
  } catch (error) {
    console.warn(`skipped: ${wanted} cannot be installed: ${String(error)}`);
    return null;
  }
};
