// npm run storm -- --accepts 100000 --kills 50 --freezes 20 --replicas 3 --in-flight 64
// Accepts through a real Kafka and replicas that are killed and frozen all the while; then the account. Exit code 1 on any broken promise.
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

const printed = ({ account, faults, doubted, needlessDoubts, seconds }: StormReport): string => {
  const times = (kind: string): number => faults.filter((fault) => fault.kind === kind).length;
  const rows = {
    "accepts sent": account.sent,
    "kill -9 / freezes": `${times("kill")} / ${times("freeze")}`,
    "executed twice": account.executedTwice.length,
    "calls for an executed quote": account.repetitions,
    "never answered": account.unanswered.length,
    "two different finals": account.conflictingFinals.length,
    "SUCCEEDED, not executed": account.falseSuccesses.length,
    "FAILED or REJECTED, executed": account.falseFailures.length,
    SUCCEEDED: account.succeeded,
    "IN_DOUBT, and no final yet": account.inDoubt,
    "IN_DOUBT at some time": doubted,
    "claims open at the faults": faults.reduce((total, { openClaims }) => total + openClaims, 0),
    "doubts of claims not open then": needlessDoubts.length,
    "committed offsets": account.committed,
    seconds: Math.round(seconds),
  };
  return Object.entries(rows)
    .map(([name, value]) => `  ${name.padEnd(32)}${value}`)
    .join("\n");
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
