import { readFile } from "node:fs/promises";
import { join } from "node:path";

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
export function isInstalled(wanted, present, { development = true } = {}) {
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
export async function isProjectInstalled(root, options) {
  const [wanted, present] = await Promise.all([
    read(join(root, "package-lock.json")),
    read(join(root, "node_modules", ".package-lock.json")),
  ]);
  return wanted !== null && present !== null && isInstalled(wanted, present, options);
}
