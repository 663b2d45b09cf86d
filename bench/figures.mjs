// How all measurements show their figures.
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
