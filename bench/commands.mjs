// npm run bench:commands -- [--node 24] [--latency 5,50] [--in-flight 1,100,512] [--keys 1,20,1000,0] [--keep-alive 0,5s]
//   [--seconds 4] [--idle 200] [--only bare|bridge]
// Accepts through a real Kafka on this machine: the bridge, and a bare loop without any protection, one after the other under the same
// load. --keys: how many keys the commands share, 0 for a key each. --keep-alive: 0 for a connection for each call, otherwise both reuse
// connections. Exit code 1 when the bridge called, answered or ordered anything wrong.
import { parseArgs } from "node:util";
import { program } from "../dev/program.mjs";
import { openAdmin, openEnvironment } from "./environment.mjs";
import { idleLatency, roundLine, throughput } from "./commands/report.mjs";
import { playIdle, playRound } from "./commands/round.mjs";
import { startBare, startCommandsBridge, startPartner } from "./commands/programs.mjs";
import { openTraffic } from "./commands/traffic.mjs";
import { machine } from "./figures.mjs";

const { values } = parseArgs({
  options: {
    latency: { type: "string", default: "5,50" },
    "in-flight": { type: "string", default: "1,100,512" },
    keys: { type: "string", default: "1,20,1000,0" },
    "keep-alive": { type: "string", default: "0,5s" },
    seconds: { type: "string", default: "4" },
    idle: { type: "string", default: "200" },
    only: { type: "string" },
  },
});
/** @param {string} list */
const numbers = (list) => list.split(",").map(Number);

/** No server is faster than this here; keeps a round from lasting longer than asked for. */
const MOST_PER_SECOND = 3_000;
const FEWEST = 60;
const WARM_UP = 3_000;

/** @typedef {{ inFlight: number, keepAlive: string }} Setting */

/** @param {number} latencyMs @param {number} keys @param {Setting} setting @returns {import("./commands/round.mjs").Load} */
const loadOf = (latencyMs, keys, { inFlight, keepAlive }) => {
  const perSecond = Math.min(MOST_PER_SECOND, (Math.min(inFlight, keys || inFlight) / latencyMs) * 1_000);
  const commands = Math.max(FEWEST, Math.round(perSecond * Number(values.seconds)));
  return { latencyMs, inFlight, keys, keepAlive, commands };
};

await program(async (scope) => {
  const { line, environment } = await openEnvironment(scope);
  const { brokers } = environment;
  const admin = await openAdmin(environment);
  const partner = await startPartner(environment);

  /** @type {import("./commands/round.mjs").Round[]} */
  const rounds = [];
  /** @type {import("./commands/report.mjs").Idle[]} */
  const idles = [];
  const [fewest] = numbers(values["in-flight"]);
  /** @type {Setting[]} */
  const settings = numbers(values["in-flight"]).flatMap((inFlight) =>
    values["keep-alive"].split(",").map((keepAlive) => ({ inFlight, keepAlive })),
  );
  for (const setting of settings) {
    const { inFlight, keepAlive } = setting;
    const loads = numbers(values.latency).flatMap((latencyMs) =>
      numbers(values.keys).map((keys) => loadOf(latencyMs, keys, setting)),
    );
    const starts = [
      ...(values.only === "bridge" ? [] : [() => startBare(environment, { admin, partner, ...setting })]),
      ...(values.only === "bare" ? [] : [() => startCommandsBridge(environment, { partner, ...setting })]),
    ];
    // Not in parallel: two servers would share the processors.
    for (const start of starts) {
      const server = await start();
      const traffic = await openTraffic(brokers, server);
      const by = { traffic, partner };
      await playRound(
        server,
        { latencyMs: 5, inFlight, keys: 0, keepAlive, commands: Math.min(WARM_UP, 60 * inFlight) },
        by,
      );
      for (const load of loads) {
        const round = await playRound(server, load, by);
        rounds.push(round);
        line(roundLine(round));
      }
      const commands = Number(values.idle);
      if (commands > 0 && inFlight === fewest) {
        for (const latencyMs of numbers(values.latency))
          idles.push({
            server: server.name,
            latencyMs,
            keepAlive,
            added: await playIdle({ latencyMs, inFlight, keys: 0, keepAlive, commands }, by),
          });
      }
      await traffic.close();
      await server.stop();
    }
  }
  line(`\n${machine()}; broker, partner, load and server share it; 6 partitions, acks of all replicas (1)\n`);
  line(throughput(rounds));
  if (idles.length > 0) line(`\n${idleLatency(idles)}`);
  const wrong = rounds.filter((round) => round.server === "bridge" && round.wrong.length > 0);
  return wrong.length === 0 ? 0 : 1;
});
