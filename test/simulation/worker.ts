import { parentPort } from "node:worker_threads";
import { runSeed } from "./run.ts";
import { loadSubject } from "./subject.ts";

/** Seeds to run against the code under `root`. */
export type Task = { root: string; from: number; count: number; stopAtFirst: boolean };
export type Report = {
  ran: number;
  steps: number;
  outcomes: Record<string, number>;
  violations: { seed: number; text: string }[];
};

const run = async ({ root, from, count, stopAtFirst }: Task): Promise<Report> => {
  const subject = await loadSubject(root);
  const report: Report = { ran: 0, steps: 0, outcomes: {}, violations: [] };
  for (let seed = from; seed < from + count; seed++) {
    const { violation, steps, outcomes } = await runSeed(seed, subject);
    report.ran += 1;
    report.steps += steps;
    for (const outcome of outcomes) report.outcomes[outcome] = (report.outcomes[outcome] ?? 0) + 1;
    if (violation !== null) report.violations.push({ seed, text: violation });
    if (violation !== null && stopAtFirst) break;
  }
  return report;
};

parentPort?.on("message", (task: Task) => {
  void run(task).then((report) => parentPort?.postMessage(report));
});
