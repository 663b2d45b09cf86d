import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cached } from "../cluster/cache.mjs";
import { run } from "../run.mjs";

export const projectFolder = fileURLToPath(new URL("../..", import.meta.url));

/**
 * @typedef {object} Lockfile the part of npm's lockfiles that matters here
 * @property {Record<string, { version?: string, integrity?: string, optional?: boolean, dev?: boolean, link?: boolean }>} packages
 */

/**
 * @param {Lockfile} wanted package-lock.json
 * @param {Lockfile} present node_modules/.package-lock.json, which npm writes after an installation
 * @param {{ development?: boolean }} [options] `development: false` where packages of the development need not be there
 * @returns {boolean} whether everything that is wanted is there; optional packages may be of other platforms
 */
function isInstalled(wanted, present, { development = true } = {}) {
  return Object.entries(wanted.packages).every(([path, entry]) => {
    if (path === "" || (entry.dev && !development)) return true;
    const found = present.packages[path];
    if (!found) return entry.optional === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

/** @param {string} path @returns {Promise<Lockfile | null>} null when there is no such file, or half of one */
async function read(path) {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return null;
  }
}

/** @param {string} root of the project @param {{ development?: boolean }} [options] */
async function isProjectInstalled(root, options) {
  const [wanted, present] = await Promise.all([
    read(join(root, "package-lock.json")),
    read(join(root, "node_modules", ".package-lock.json")),
  ]);
  return wanted !== null && present !== null && isInstalled(wanted, present, options);
}

/** @param {string} cwd @param {string} which packages */
const npmCi = (cwd, which) => {
  const ci = (/** @type {string[]} */ ...more) =>
    run("npm", ["ci", which, "--loglevel=error", ...more], { cwd });
  // npm's cached metadata may be too old for the wanted versions: then ask the registry.
  return ci("--prefer-offline").catch(() => ci());
};

/**
 * Installs the packages when they are not those of package-lock.json.
 * @param {import("../terminal/steps.mjs").Steps} steps
 */
export async function install(steps) {
  if (await isProjectInstalled(projectFolder)) return;
  await steps.step(
    "installing packages (npm ci)",
    () => npmCi(projectFolder, "--include=dev"),
    () => "packages installed",
  );
}

/**
 * Installs what the program needs to run: in a fresh clone only that, which the cache keeps.
 * @param {import("../terminal/steps.mjs").Steps} steps
 */
export async function installToRun(steps) {
  const packages = "node_modules";
  if (await isProjectInstalled(projectFolder, { development: false })) return;
  if (existsSync(join(projectFolder, packages))) return install(steps);
  const lock = await readFile(join(projectFolder, "package-lock.json"));
  const name = `packages-${createHash("sha256").update(lock).digest("hex").slice(0, 16)}`;
  const fill = async (/** @type {string} */ folder) => {
    const files = ["package.json", "package-lock.json", ".npmrc"];
    await Promise.all(files.map((file) => copyFile(join(projectFolder, file), join(folder, file))));
    await npmCi(folder, "--omit=dev");
  };
  await steps.step(
    "installing packages",
    async () => run("cp", ["-R", join(await cached(name, fill), packages), projectFolder]),
    () => "packages installed",
  );
}
