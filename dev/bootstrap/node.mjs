import { existsSync } from "node:fs";
import { join } from "node:path";
import { cached, cacheFolder } from "../cluster/cache.mjs";
import { CommandError, run } from "../run.mjs";
import { Failure } from "../terminal/failure.mjs";

/** The one place that says which versions of Node.js are fetched where the machine has another. @type {Record<string, string>} */
export const VERSIONS = { 24: "24.21.0", 26: "26.12.1" };

/** The Node.js of the container image, which all is built for. */
export const IMAGE_NODE = "26";
/** The oldest one that is supported; a part of the tests runs on it as well. */
export const OLDEST_NODE = "24";

const DOWNLOAD_MS = 5 * 60_000;
const PROBE_MS = 10_000;

/**
 * Takes `--node WHICH` out of the arguments of a command, wherever it stands.
 * @param {readonly string[]} args
 * @returns {{ which: string | undefined, rest: string[] }}
 */
export function takeNodeOption(args) {
  const at = args.indexOf("--node");
  if (at < 0) return { which: undefined, rest: [...args] };
  const which = args[at + 1];
  if (!which) throw new Failure(`--node needs ${choices()}.`);
  return { which, rest: args.toSpliced(at, 2) };
}

const choices = () => `one of ${Object.keys(VERSIONS).join(", ")}, or the path of a node program`;

/**
 * @param {string | undefined} which a major version of {@link VERSIONS}, the path of a node program, or undefined for the one that runs
 *   this, or that of the image where this is older
 * @param {import("../cluster/download.mjs").Say} say
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<{ path: string, version: string }>}
 */
export async function findNode(which, say, env = process.env) {
  if (which === undefined) {
    if (majorOf(process.version) >= Number(IMAGE_NODE))
      return { path: process.execPath, version: process.version };
    say(`this machine has Node.js ${process.version.slice(1)}: going on with ${VERSIONS[IMAGE_NODE]}`);
    return findNode(IMAGE_NODE, say, env);
  }
  const pinned = VERSIONS[which];
  if (pinned === undefined && !existsSync(which))
    throw new Failure(`There is no Node.js ${which} here: --node takes ${choices()}.`);
  const path = pinned === undefined ? which : await installedNode(pinned, say, env);
  return { path, version: await versionOf(path) };
}

/** @param {string} version such as v24.1.0 */
const majorOf = (version) => Number.parseInt(version.slice(1), 10);

/** @param {string} path */
const versionOf = async (path) => (await run(path, ["--version"], { timeoutMs: PROBE_MS })).trim();

/**
 * Node.js from the registry's package of this platform, kept in the cache. npm checks that it is what was published. (The package `node`
 * chooses the platform by an install script, which many forbid.)
 * @param {string} version
 * @param {import("../cluster/download.mjs").Say} say
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string>} the path of the program
 */
async function installedNode(version, say, env) {
  const name = `node-${process.platform}-${process.arch}`;
  const inside = join("node_modules", name, "bin", "node");
  const root = cacheFolder(env);
  const fill = async (/** @type {string} */ folder) => {
    say(`downloading Node.js ${version}, 60 MB (once, into ${root})`);
    const args = ["install", "--prefix", folder, "--ignore-scripts", "--no-save", "--loglevel=error"];
    await run("npm", [...args, `${name}@${version}`], {
      cwd: folder,
      env,
      timeoutMs: DOWNLOAD_MS,
    });
    await versionOf(join(folder, inside));
  };
  try {
    return join(await cached(`node-${version}`, fill, root), inside);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const code = /^npm error code (\S+)/m.exec(error.output)?.[1] ?? error.how;
    throw new Failure(
      `Node.js ${version} cannot be downloaded, which demo and tests run on: \`npm install ${name}@${version}\` failed (${code}). ` +
        `It has to succeed once; then ${root} keeps it.`,
    );
  }
}
