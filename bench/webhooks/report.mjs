import { fixed, table } from "../figures.mjs";

/** @typedef {import("./round.mjs").Round} Round */

/** @param {number[]} values */
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** @param {Round} round */
export const roundLine = (round) =>
  `  ${round.load.padEnd(16)} ${round.server.padEnd(9)} ${fixed(round.perSecond, 0).padStart(6)}/s` +
  `  p99 ${fixed(round.p99Ms, 1)} ms  2xx ${round.good}  other ${round.other}  records ${round.records}`;

/**
 * @template T
 * @param {T[]} items
 * @param {(item: T) => string} keyOf
 * @returns {Map<string, T[]>}
 */
function groupedBy(items, keyOf) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}

/**
 * Medians over the rounds of one load, and the bridge's share of the baseline.
 * @param {Round[]} rounds
 */
export function report(rounds) {
  const groups = groupedBy(rounds, (round) => `${round.load}|${round.server}`);
  /** @param {Round[]} of @param {(round: Round) => number | null} figure */
  const middle = (of, figure) => median(of.map((round) => figure(round) ?? NaN));

  const figures = [
    [
      "load",
      "server",
      "requests/s",
      "p50 ms",
      "p99 ms",
      "CPU s/1,000",
      "of the load",
      "RSS MB",
      "2xx",
      "other",
      "records",
    ],
  ];
  for (const group of groups.values()) {
    const sum = (/** @type {(round: Round) => number} */ figure) =>
      String(group.reduce((total, round) => total + figure(round), 0));
    figures.push([
      group[0]?.load ?? "",
      group[0]?.server ?? "",
      fixed(
        middle(group, (round) => round.perSecond),
        0,
      ),
      fixed(
        middle(group, (round) => round.p50Ms),
        1,
      ),
      fixed(
        middle(group, (round) => round.p99Ms),
        1,
      ),
      fixed(
        middle(group, (round) => round.cpuPerThousand),
        3,
      ),
      fixed(
        middle(group, (round) => round.loadCpuPerThousand),
        3,
      ),
      fixed(Math.max(...group.map((round) => round.rssMb ?? NaN)), 0),
      sum((round) => round.good),
      sum((round) => round.other),
      sum((round) => round.records),
    ]);
  }

  const ratios = [["bridge : baseline", "", "requests/s", "p99", "CPU"]];
  for (const load of new Set(rounds.map((round) => round.load))) {
    const bridge = groups.get(`${load}|bridge`);
    const baseline = groups.get(`${load}|baseline`);
    if (!bridge || !baseline) continue;
    const ratio = (/** @type {(round: Round) => number | null} */ figure) =>
      middle(bridge, figure) / middle(baseline, figure);
    ratios.push([
      load,
      "",
      `${fixed(ratio((round) => round.perSecond) * 100, 0)} %`,
      `${fixed(
        ratio((round) => round.p99Ms),
        2,
      )} x`,
      `${fixed(
        ratio((round) => round.cpuPerThousand),
        2,
      )} x`,
    ]);
  }
  return ratios.length > 1 ? `${table(figures)}\n\n${table(ratios)}` : table(figures);
}
