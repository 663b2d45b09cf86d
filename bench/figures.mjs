// How all measurements show their figures.
import { readFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";

/** A dash where there is no number. @param {number | null} value @param {number} digits */
export const fixed = (value, digits) => (value === null || Number.isNaN(value) ? "–" : value.toFixed(digits));

/** @param {readonly number[]} values in any order @param {number} share 0.99 for the p99 */
export const quantile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN;

/** @param {string[][]} rows the first one is the head; numbers from the third column on */
export function table(rows) {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Figures mean nothing without the machine. Servers and load run on the Node.js that runs this. */
export const machine = () => {
  const processors = cpus();
  const memoryGb = (totalmem() / 1e9).toFixed(0);
  return `${processors.length} × ${processors[0]?.model.trim() ?? "unknown"}, ${memoryGb} GB, all on Node.js ${process.version}`;
};

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
