import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";

/**
 * Lets Java start with a third less work: the classes that it has loaded are kept in a file when it ends in order for the first time.
 * (Java takes no file that does not fit.)
 * @param {string} installation
 * @param {boolean} keep whether this start may make the file
 */
export function sharedClasses(installation, keep) {
  const file = `${installation}.jsa`;
  const made = `${file}-${process.pid}`;
  const isThere = existsSync(file);
  const flag = isThere ? `-XX:SharedArchiveFile=${file}` : `-XX:ArchiveClassesAtExit=${made}`;
  return {
    flags: isThere || keep ? [flag] : [],
    /** @param {{ kill: () => Promise<void>, stop: () => Promise<void> }} process */
    end: async ({ kill, stop }) => {
      if (isThere || !keep) return kill();
      await stop();
      // Java makes none where it cannot.
      await rename(made, file).catch(() => {});
    },
  };
}
