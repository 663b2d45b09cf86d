// npm run bench:webhooks -- [--connections 1,16,64,256] [--seconds 5] [--rounds 3] [--only baseline|bridge]
// Webhooks into a real Kafka on this machine: the bridge with HMAC verification, and a bare baseline, by turns under the same load.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Kafka, logLevel } from "kafkajs";
import { startKafka } from "../dev/cluster/kafka.mjs";
import { startRegistry } from "../dev/cluster/registry.mjs";
import { program } from "../dev/program.mjs";
import { createSteps } from "../dev/terminal/steps.mjs";
import { machine, report, roundLine } from "./webhooks/report.mjs";
import { playRound } from "./webhooks/round.mjs";
import { startBaseline, startBridge } from "./webhooks/servers.prof.mjs";

const { values } = parseArgs({
  options: {
    connections: { type: "string", default: "1,16,64,256" },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    only: { type: "string" },
  },
});
const seconds = Number(values.seconds);
const WARM_UP = { connections: 64, seconds: 4, perSecond: null };
/** Slow enough to show latency without queueing. */
const STEADY = { connections: 64, seconds, perSecond: 200 };

await program(async (scope) => {
  const projectFolder = dirname(dirname(fileURLToPath(import.meta.url)));
  const logFolder = await mkdtemp(join(tmpdir(), "cambio-bridge-bench-"));
  scope.defer(() => rm(logFolder, { recursive: true, force: true }));
  const { step, say, line } = createSteps();

  const kafka = await step("starting Kafka", () => startKafka({ say, throughput: true }));
  scope.defer(kafka.stop);
  const registry = await step("starting the schema registry", () => startRegistry({ say }));
  scope.defer(registry.stop);
  const brokers = kafka.bootstrapServers;
  const admin = new Kafka({ brokers: brokers.split(","), logLevel: logLevel.ERROR }).admin();
  await admin.connect();
  scope.defer(() => admin.disconnect());

  const surroundings = { projectFolder, logFolder, scope, brokers, registryUrl: registry.url };
  const servers = [];
  if (values.only !== "bridge")
    servers.push(await step("starting the baseline", () => startBaseline(surroundings, admin)));
  if (values.only !== "baseline")
    servers.push(await step("starting the bridge", () => startBridge(surroundings)));

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
      for (const server of servers) {
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
