import { fixed, quantile, table } from "../figures.mjs";

/** @typedef {import("./round.mjs").Round} Round */

/** @type {readonly [name: string, figure: (round: Round) => number | null, digits: number][]} */
const MEDIANS = [
  ["requests/s", (round) => round.perSecond, 0],
  ["p50 ms", (round) => round.p50Ms, 1],
  ["p99 ms", (round) => round.p99Ms, 1],
  ["CPU s/1,000", (round) => round.cpuPerThousand, 3],
  ["of the load", (round) => round.loadCpuPerThousand, 3],
];

/** @param {Round} round */
export const roundLine = (round) =>
  `  ${round.load.padEnd(16)} ${round.server.padEnd(9)} ${fixed(round.perSecond, 0).padStart(6)}/s` +
  `  p99 ${fixed(round.p99Ms, 1)} ms  2xx ${round.good}  other ${round.other}  records ${round.records}`;

/**
 * Medians over the rounds of one load, and the bridge's share of the baseline.
 * @param {Round[]} rounds
 */
export function report(rounds) {
  const groups = Map.groupBy(rounds, (round) => `${round.load}|${round.server}`);
  /** @param {Round[]} of @param {(round: Round) => number | null} figure */
  const middle = (of, figure) => {
    const values = of.map((round) => figure(round) ?? NaN);
    return quantile(values, 0.5);
  };

  const names = MEDIANS.map(([name]) => name);
  const figures = [["load", "server", ...names, "RSS MB", "2xx", "other", "records"]];
  for (const group of groups.values()) {
    const sum = (/** @type {(round: Round) => number} */ figure) =>
      String(group.reduce((total, round) => total + figure(round), 0));
    figures.push([
      group[0]?.load ?? "",
      group[0]?.server ?? "",
      ...MEDIANS.map(([, figure, digits]) => fixed(middle(group, figure), digits)),
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
    const perSecond = ratio((round) => round.perSecond);
    const p99 = ratio((round) => round.p99Ms);
    const cpu = ratio((round) => round.cpuPerThousand);
    ratios.push([load, "", `${fixed(perSecond * 100, 0)} %`, `${fixed(p99, 2)} x`, `${fixed(cpu, 2)} x`]);
  }
  return ratios.length > 1 ? `${table(figures)}\n\n${table(ratios)}` : table(figures);
}
