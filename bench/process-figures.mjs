import { readFile } from "node:fs/promises";

/** USER_HZ of Linux, the same on every machine. */
const TICKS_PER_SECOND = 100;

/** @typedef {{ cpuSeconds: number, rssMb: number, peakMb: number }} ProcessFigures `peakMb`: the most resident memory so far */

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
    const megabytes = (/** @type {RegExp} */ line) => Number(line.exec(status)?.[1] ?? 0) / 1000;
    return {
      cpuSeconds: ticks / TICKS_PER_SECOND,
      rssMb: megabytes(/VmRSS:\s+(\d+)/),
      peakMb: megabytes(/VmHWM:\s+(\d+)/),
    };
  } catch {
    return null;
  }
}
