// npm run storm -- --accepts 100000 --kills 50 --freezes 20 --replicas 3 --in-flight 64
// Accepts through a real Kafka and replicas that are killed and frozen all the while; then the account. Exit code 1 on any broken promise.
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { startLocalCluster } from "../../../dev/cluster/local.mjs";
import { program } from "../../../dev/program.mjs";
import { createSteps } from "../../../dev/terminal/steps.mjs";
import { storm, violations, type StormReport } from "./storm.ts";

const { values } = parseArgs({
  options: {
    accepts: { type: "string", default: "2000" },
    kills: { type: "string", default: "4" },
    freezes: { type: "string", default: "2" },
    replicas: { type: "string", default: "3" },
    "in-flight": { type: "string", default: "64" },
    "partner-ms": { type: "string", default: "20" },
  },
});

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const printed = ({
  account,
  faults,
  doubted,
  inFlightAtFaults,
  needlessDoubts,
  codes,
  seconds,
}: StormReport): string => {
  const kinds = faults.map(({ kind }) => kind);
  const rows: [string, unknown][] = [
    ["accepts sent", account.sent],
    [
      "kill -9 / freezes",
      `${kinds.filter((kind) => kind === "kill").length} / ${kinds.filter((kind) => kind === "freeze").length}`,
    ],
    ["executed twice", account.executedTwice.length],
    ["calls for an executed quote", account.repetitions],
    ["never answered", account.unanswered.length],
    ["two different finals", account.conflictingFinals.length],
    ["SUCCEEDED, not executed", account.falseSuccesses.length],
    ["FAILED or REJECTED, executed", account.falseFailures.length],
    ["SUCCEEDED", account.succeeded],
    ["IN_DOUBT, and no final yet", account.inDoubt],
    ["IN_DOUBT at some time", doubted],
    ["in flight x faults", inFlightAtFaults],
    ["claims open at the faults", sum(faults.map(({ openClaims }) => openClaims))],
    ["doubts of claims not open then", needlessDoubts.length],
    ["codes of other results", JSON.stringify(codes)],
    ["committed offsets", account.committed],
    ["seconds", Math.round(seconds)],
    ["accepts a second", Math.round(account.sent / seconds)],
    [
      "load average",
      loadavg()
        .map((load) => load.toFixed(1))
        .join(" "),
    ],
  ];
  return rows.map(([name, value]) => `  ${name.padEnd(32)}${String(value)}`).join("\n");
};

await program(async (scope) => {
  const steps = createSteps();
  const cluster = await startLocalCluster(steps);
  scope.defer(cluster.stop);
  const report = await storm(
    { kafkaBrokers: cluster.bootstrapServers, schemaRegistryUrl: cluster.registryUrl },
    {
      accepts: Number(values.accepts),
      kills: Number(values.kills),
      freezes: Number(values.freezes),
      replicas: Number(values.replicas),
      inFlight: Number(values["in-flight"]),
      partnerMs: Number(values["partner-ms"]),
    },
    (line) => steps.line(`  ${line}`),
  );
  steps.line(`\n${printed(report)}\n`);
  const wrong = violations(report);
  steps.line(
    wrong.length === 0
      ? "Every promise was kept."
      : `BROKEN: ${wrong.join(", ")}\n${JSON.stringify(report.account, null, 1).slice(0, 5_000)}`,
  );
  return wrong.length === 0 ? 0 : 1;
});
