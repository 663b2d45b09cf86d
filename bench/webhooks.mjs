// npm run bench:webhooks -- [--node 24] [--connections 1,16,64,256] [--seconds 5] [--rounds 4] [--only baseline|bridge] [--traces 0.01]
// Webhooks into a real Kafka on this machine: the bridge with HMAC verification and a bare baseline take turns under the same load.
import { parseArgs } from "node:util";
import { program } from "../dev/program.mjs";
import { openAdmin, openEnvironment } from "./environment.mjs";
import { machine } from "./figures.mjs";
import { report, roundLine } from "./webhooks/report.mjs";
import { playRound } from "./webhooks/round.mjs";
import { startBaseline, startCollector, startWebhooksBridge } from "./webhooks/programs.mjs";

const { values } = parseArgs({
  options: {
    connections: { type: "string", default: "1,16,64,256" },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "4" },
    only: { type: "string" },
    /** Also measures a bridge that exports this share of its traces to a collector. */
    traces: { type: "string" },
  },
});
const seconds = Number(values.seconds);
const WARM_UP = { connections: 64, seconds: 4, perSecond: null };
/** Slow enough to show latency without queueing. */
const STEADY = { connections: 64, seconds, perSecond: 200 };

await program(async (scope) => {
  const { step, line, environment } = await openEnvironment(scope);
  const { projectFolder } = environment;
  const admin = await openAdmin(environment);

  const servers = [];
  if (values.only !== "bridge")
    servers.push(await step("starting the baseline", () => startBaseline(environment, admin)));
  if (values.only !== "baseline")
    servers.push(await step("starting the bridge", () => startWebhooksBridge(environment)));
  if (values.traces !== undefined) {
    const settings = await startCollector(scope, values.traces);
    const options = { name: "traced", settings };
    servers.push(
      await step("starting the bridge with traces", () => startWebhooksBridge(environment, options)),
    );
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
      // They take turns at being first: the second may find less of the machine free.
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
