// npm run bench:webhooks -- [--node 24] [--connections 1,16,64,256] [--seconds 5] [--rounds 4] [--only baseline|bridge] [--traces 0.01]
// Webhooks into a real Kafka on this machine: the bridge with HMAC verification, and a bare baseline, by turns under the same load.
import { parseArgs } from "node:util";
import { Kafka, logLevel } from "kafkajs";
import { program } from "../dev/program.mjs";
import { openSurroundings } from "./surroundings.mjs";
import { startCollector } from "./webhooks/collector.mjs";
import { machine, report, roundLine } from "./webhooks/report.mjs";
import { playRound } from "./webhooks/round.mjs";
import { startBaseline, startBridge } from "./webhooks/servers.mjs";

const { values } = parseArgs({
  options: {
    connections: { type: "string", default: "1,16,64,256" },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "4" },
    only: { type: "string" },
    /** A second bridge beside the first, which tells a collector of this part of its traces. */
    traces: { type: "string" },
  },
});
const seconds = Number(values.seconds);
const WARM_UP = { connections: 64, seconds: 4, perSecond: null };
/** Slow enough to show latency without queueing. */
const STEADY = { connections: 64, seconds, perSecond: 200 };

await program(async (scope) => {
  const { step, line, surroundings } = await openSurroundings(scope);
  const { projectFolder, brokers } = surroundings;
  const admin = new Kafka({ brokers: brokers.split(","), logLevel: logLevel.ERROR }).admin();
  await admin.connect();
  scope.defer(() => admin.disconnect());

  const servers = [];
  if (values.only !== "bridge")
    servers.push(await step("starting the baseline", () => startBaseline(surroundings, admin)));
  if (values.only !== "baseline")
    servers.push(await step("starting the bridge", () => startBridge(surroundings)));
  if (values.traces !== undefined) {
    const settings = await startCollector(scope, values.traces);
    const options = { name: "traced", settings };
    servers.push(await step("starting the bridge with traces", () => startBridge(surroundings, options)));
  }

  const loads = values.connections.split(",").map((connections) => ({
    connections: Number(connections),
    seconds,
    perSecond: null,
  }));
  for (const server of servers)
    await step(`warming up the ${server.name}`, () => playRound(server, WARM_UP, { admin, projectFolder }));
  const rounds = [];
  for (const load of [...loads, STEADY]) {
    for (let round = 0; round < Number(values.rounds); round++) {
      // Each is first by turns: what the machine has left for the second may be less.
      for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
        const played = await playRound(server, load, { admin, projectFolder });
        rounds.push(played);
        line(roundLine(played));
      }
    }
  }
  line(`\n${machine()}; broker, load and servers share it; 6 partitions, acks of all replicas (1)\n`);
  line(report(rounds));
  return rounds.every(({ good, other, records }) => other === 0 && records === good) ? 0 : 1;
});
