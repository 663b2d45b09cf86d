import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** @returns {string} the folder for downloads, outside the work tree, shared by all clones of one user */
export function cacheFolder(env = process.env) {
  if (env.CAMBIO_BRIDGE_CACHE) return env.CAMBIO_BRIDGE_CACHE;
  return join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "cambio-bridge");
}

const UNFINISHED = ".unfinished-";

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** @param {string} root */
async function removeAbandoned(root) {
  const entries = await readdir(root);
  const abandoned = entries.filter(
    (entry) => entry.startsWith(UNFINISHED) && !isAlive(Number.parseInt(entry.slice(UNFINISHED.length), 10)),
  );
  await Promise.all(abandoned.map((entry) => rm(join(root, entry), { recursive: true, force: true })));
}

/**
 * Returns the folder `name` of the cache, and fills it first when it is not there. It is filled under another name and renamed when
 * complete: an interruption leaves no half of it, and of two runs in parallel the first wins.
 * @param {string} name
 * @param {(folder: string) => Promise<void>} fill
 * @returns {Promise<string>}
 */
export async function cached(name, fill, root = cacheFolder()) {
  const folder = join(root, name);
  if (existsSync(folder)) return folder;
  await mkdir(root, { recursive: true });
  await removeAbandoned(root);
  const unfinished = join(root, `${UNFINISHED}${process.pid}-${name}-${randomBytes(4).toString("hex")}`);
  await mkdir(unfinished);
  try {
    await fill(unfinished);
    await rename(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
