// npm run bench:replicas -- [--replicas 1,2,4] [--each 75,300] [--webhooks 300,1500] [--seconds 10]
// What scaling out costs: n replicas with n times the load against one with one, and against one with the same load in all. Each reads the
// events that the others publish, for its window, and the whole journal of commands.
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { program } from "../dev/program.mjs";
import { run } from "../dev/run.mjs";
import { bridgeSettings, setUp, startBridge, TARGET, topicsOf } from "./bridge.mjs";
import { startPartner } from "./commands/programs.mjs";
import { openTraffic } from "./commands/traffic.mjs";
import { openEnvironment } from "./environment.mjs";
import { fixed, machine, processFigures, quantile, table } from "./figures.mjs";

/** @typedef {{ pid: number, port: number, stop: () => Promise<void> }} Replica */
/** @typedef {import("./webhooks/load.mjs").LoadFigures} LoadFigures */

const { values } = parseArgs({
  options: {
    replicas: { type: "string", default: "1,2,4" },
    /** Accepts a second for each replica. */
    each: { type: "string", default: "75,300" },
    /** Webhooks a second for each replica. */
    webhooks: { type: "string", default: "300,1500" },
    seconds: { type: "string", default: "10" },
  },
});
/** @param {number} count of replicas */
const nameOf = (count) => `replicas-${count}`;
/** @param {string} list */
const numbers = (list) => list.split(",").map(Number);
/** The last events are read by the other replicas within so long. */
const READ_WITHIN_MS = 3_000;
const CONNECTIONS = 64;
const PARTNER_MS = 5;
/** Accepts are written together that are due within so long. */
const WRITE_EVERY_MS = 50;
const ANSWERED_WITHIN_MS = 10_000;

await program(async (scope) => {
  const { step, line, environment } = await openEnvironment(scope);
  const partner = await startPartner(environment);
  await partner.setLatency(PARTNER_MS);
  let runs = 0;
  const loadProgram = join(environment.projectFolder, "bench", "webhooks", "load.mjs");

  /** @param {number} count @returns {Promise<Replica[]>} replicas of one bridge, with topics of their own */
  const startReplicas = async (count) => {
    const name = nameOf(count);
    /** @type {Replica[]} */
    const replicas = [];
    for (let nth = 0; nth < count; nth++) {
      const settings = await bridgeSettings(environment, {
        name,
        flows: "webhooks,commands",
        partnerUrl: partner.url,
        settings: { PARTNER_KEEP_ALIVE: "5s" },
      });
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

  /**
   * As many accepts a second, each with a key of its own. The latency is that from before it is written until its result is read.
   * @param {readonly Replica[]} replicas @param {number} perSecond @param {number} seconds
   */
  const playAccepts = async (replicas, perSecond, seconds) => {
    const traffic = await openTraffic(environment.brokers, topicsOf(nameOf(replicas.length)));
    runs += 1;
    /** @type {Map<string, number>} */
    const sentAt = new Map();
    const startedAt = performance.now();
    const before = await cpuSeconds(replicas);
    for (let sent = 0; sent < perSecond * seconds;) {
      const due = Math.min(perSecond * seconds, ((performance.now() - startedAt) / 1_000) * perSecond);
      const accepts = [];
      for (; sent < due; sent += 1) {
        const quoteId = `r${runs}-${sent}`;
        accepts.push({ commandId: `c-${quoteId}`, quoteId, key: quoteId });
        sentAt.set(`c-${quoteId}`, performance.now());
      }
      await traffic.send(accepts);
      await new Promise((resolve) => setTimeout(resolve, WRITE_EVERY_MS));
    }
    const until = performance.now() + ANSWERED_WITHIN_MS;
    const isAnswered = () => [...sentAt.keys()].every((id) => traffic.answers.has(id));
    while (!isAnswered() && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, WRITE_EVERY_MS));
    const answers = [...sentAt].map(([id, at]) => ({ at, answer: traffic.answers.get(id) }));
    const good = answers.filter(({ answer }) => answer?.outcome === "SUCCEEDED" && answer.times === 1).length;
    const p99Ms = quantile(
      answers.map(({ at, answer }) => (answer?.at ?? Infinity) - at),
      0.99,
    );
    const cpuUs = (((await cpuSeconds(replicas)) - before) / good) * 1e6;
    await traffic.close();
    return { good, cpuUs, p99Ms };
  };

  const head = [
    "a second each",
    "replicas",
    "CPU us",
    "of one, same each",
    "of one, same in all",
    "p99 ms",
    "good",
  ];
  const rows = [head];
  const loads = [
    ...numbers(values.webhooks).map((each) => ({ kind: "webhooks", each, play })),
    ...numbers(values.each).map((each) => ({ kind: "accepts", each, play: playAccepts })),
  ];
  /** @type {Map<string, number>} what one replica takes, by load */
  const ofOne = new Map();
  for (const count of numbers(values.replicas)) {
    const replicas = await step(`starting ${count} replicas`, () => startReplicas(count));
    await play(replicas, 6_000, 4);
    await playAccepts(replicas, 300, 4);
    for (const { kind, each, play: playLoad } of loads) {
      const inAll = each * count;
      const { good, cpuUs, p99Ms } = await playLoad(replicas, inAll, Number(values.seconds));
      if (count === 1) ofOne.set(`${each} ${kind}`, cpuUs);
      const [sameEach, sameInAll] = [each, inAll].map(
        (rate) => cpuUs / (ofOne.get(`${rate} ${kind}`) ?? NaN),
      );
      const shares = [fixed(sameEach ?? NaN, 2), fixed(sameInAll ?? NaN, 2)];
      rows.push([
        `${each} ${kind}`,
        String(count),
        fixed(cpuUs, 0),
        ...shares,
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
