import { parentPort } from "node:worker_threads";
import { runSeed } from "./run.ts";
import { scenarioOf, type Scenario } from "./scenario.ts";
import { loadCode } from "./code-under-test.ts";

/** A range of seeds to run against the code under `root`: of these the schedules in which all that `kind` says is so. */
export type Task = {
  root: string;
  from: number;
  count: number;
  kind: Partial<Scenario>;
  stopAtFirst: boolean;
};
export type Report = {
  ran: number;
  steps: number;
  outcomes: Record<string, number>;
  gaps: number;
  violations: { seed: number; text: string }[];
};

const isOfKind = (scenario: Scenario, kind: Partial<Scenario>): boolean =>
  Object.entries(kind).every(([name, value]) => scenario[name as keyof Scenario] === value);

const run = async ({ root, from, count, kind, stopAtFirst }: Task): Promise<Report> => {
  const code = await loadCode(root);
  const report: Report = { ran: 0, steps: 0, outcomes: {}, gaps: 0, violations: [] };
  for (let seed = from; seed < from + count; seed++) {
    if (!isOfKind(scenarioOf(seed), kind)) continue;
    const { violation, steps, outcomes, gaps } = await runSeed(seed, code);
    report.ran += 1;
    report.steps += steps;
    report.gaps += gaps;
    for (const outcome of outcomes) report.outcomes[outcome] = (report.outcomes[outcome] ?? 0) + 1;
    if (violation !== null) report.violations.push({ seed, text: violation });
    if (violation !== null && stopAtFirst) break;
  }
  return report;
};

parentPort?.on("message", (task: Task) => {
  void run(task).then((report) => parentPort?.postMessage(report));
});
