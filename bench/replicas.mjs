// npm run bench:replicas -- [--replicas 1,2,4] [--rates 1200,6000] [--seconds 10]
// What scaling out costs: the same load on one, two and four replicas of the bridge. Each reads what the others publish, for its window.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { program } from "../dev/program.mjs";
import { run } from "../dev/run.mjs";
import { bridgeSettings, setUp, startBridge, TARGET } from "./bridge.mjs";
import { openEnvironment } from "./environment.mjs";
import { fixed, machine, processFigures, table } from "./figures.mjs";

/** @typedef {{ pid: number, port: number, stop: () => Promise<void> }} Replica */
/** @typedef {import("./webhooks/load.mjs").LoadFigures} LoadFigures */

const { values } = parseArgs({
  options: {
    replicas: { type: "string", default: "1,2,4" },
    rates: { type: "string", default: "1200,6000" },
    seconds: { type: "string", default: "10" },
  },
});
/** @param {string} list */
const numbers = (list) => list.split(",").map(Number);
/** The last events are read by the other replicas within so long. */
const READ_WITHIN_MS = 3_000;
const CONNECTIONS = 64;

await program(async (scope) => {
  const { step, line, environment } = await openEnvironment(scope);
  const loadProgram = join(environment.projectFolder, "bench", "webhooks", "load.mjs");

  /** @param {number} count @returns {Promise<Replica[]>} replicas of one bridge, with topics of their own */
  const startReplicas = async (count) => {
    const name = `replicas-${count}`;
    /** @type {Replica[]} */
    const replicas = [];
    for (let nth = 0; nth < count; nth++) {
      const settings = await bridgeSettings(environment, { name, flows: "webhooks" });
      if (nth === 0) await setUp(environment, settings);
      const { pid, stop } = await startBridge(environment, { ...settings, name: `${name}-${nth}` });
      replicas.push({ pid, port: settings.port, stop });
    }
    return replicas;
  };

  /** @param {readonly Replica[]} replicas */
  const cpuSeconds = async (replicas) => {
    const figures = await Promise.all(replicas.map(({ pid }) => processFigures(pid)));
    return figures.reduce((sum, each) => sum + (each?.cpuSeconds ?? NaN), 0);
  };

  /** @param {readonly Replica[]} replicas @param {number} perSecond of all of them @param {number} seconds */
  const play = async (replicas, perSecond, seconds) => {
    const before = await cpuSeconds(replicas);
    const rate = { perSecond: perSecond / replicas.length, seconds, target: TARGET };
    const outputs = await Promise.all(
      replicas.map(({ port }) => {
        const options = { ...rate, port, connections: CONNECTIONS / replicas.length };
        return run(process.execPath, [loadProgram, JSON.stringify(options)]);
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, READ_WITHIN_MS));
    const figures = outputs.map((output) => /** @type {LoadFigures} */ (JSON.parse(output)));
    const good = figures.reduce((sum, each) => sum + each.good, 0);
    const cpuUs = (((await cpuSeconds(replicas)) - before) / good) * 1e6;
    return { good, cpuUs, p99Ms: Math.max(...figures.map(({ p99Ms }) => p99Ms)) };
  };

  const rows = [["webhooks/s in all", "replicas", "CPU us/event", "of one", "p99 ms", "2xx"]];
  /** @type {Map<number, number>} by rate */
  const ofOne = new Map();
  for (const count of numbers(values.replicas)) {
    const replicas = await step(`starting ${count} replicas`, () => startReplicas(count));
    await play(replicas, 6_000, 4);
    for (const rate of numbers(values.rates)) {
      const { good, cpuUs, p99Ms } = await play(replicas, rate, Number(values.seconds));
      if (!ofOne.has(rate)) ofOne.set(rate, cpuUs);
      const share = cpuUs / (ofOne.get(rate) ?? NaN);
      rows.push([
        String(rate),
        String(count),
        fixed(cpuUs, 0),
        fixed(share, 2),
        fixed(p99Ms, 1),
        String(good),
      ]);
    }
    await Promise.all(replicas.map(({ stop }) => stop()));
  }
  line(`\n${machine()}; broker, load and replicas share it\n`);
  line(table(rows));
  return 0;
});
