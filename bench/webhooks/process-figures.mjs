import { readFile } from "node:fs/promises";

/** Linux counts processor time in hundredths of a second for every program. */
const TICKS_PER_SECOND = 100;

/** @typedef {{ cpuSeconds: number, rssMb: number }} ProcessFigures */

/**
 * @param {number} pid
 * @returns {Promise<ProcessFigures | null>} null where there is no /proc
 */
export async function processFigures(pid) {
  try {
    const [stat, status] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "utf8"),
      readFile(`/proc/${pid}/status`, "utf8"),
    ]);
    // The name of the command is in brackets and may hold spaces; user and system time are the 14th and 15th field.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    const rssKb = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
    return { cpuSeconds: ticks / TICKS_PER_SECOND, rssMb: rssKb / 1000 };
  } catch {
    return null;
  }
}
