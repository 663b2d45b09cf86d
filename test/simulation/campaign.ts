import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { createBuild } from "./build.ts";
import type { Mutant } from "./mutants.ts";
import type { ScheduleResult } from "./run.ts";
import type { CodeUnderTest } from "./code-under-test.ts";
import type { Report, Task } from "./worker.ts";

type Build = ReturnType<typeof createBuild>;
type Print = (text: string) => void;

const BATCH = 250;
const PROGRESS_MS = 10_000;

/** Worker threads that run schedules; each thread runs one task at a time. */
const startPool = (base: string, threads: number) => {
  const workers = Array.from({ length: threads }, () => new Worker(join(base, "test/simulation/worker.js")));
  const ask = (worker: Worker, task: Task): Promise<Report> =>
    new Promise((resolve, reject) => {
      const done = (report: Report) => {
        worker.off("error", reject);
        resolve(report);
      };
      worker.once("message", done);
      worker.once("error", reject);
      worker.postMessage(task);
    });
  /** Hands out tasks to free threads until `next` returns null. Resolves when all are done. */
  return async (next: () => Task | null, onReport: (task: Task, report: Report) => void): Promise<void> => {
    const work = async (worker: Worker): Promise<void> => {
      for (let task = next(); task; task = next()) onReport(task, await ask(worker, task));
    };
    await Promise.all(workers.map(work)).finally(() => Promise.all(workers.map((one) => one.terminate())));
  };
};

/**
 * Runs many schedules against the unchanged code.
 * @returns whether none broke a promise, and how often the gap was met that no client can close
 */
export const runSchedules = async (
  build: Build,
  options: { from: number; seeds: number; threads: number; print: Print },
): Promise<{ isKept: boolean; gaps: number }> => {
  const { from, seeds, threads, print } = options;
  const run = startPool(build.base, threads);
  const total: Report = { ran: 0, steps: 0, outcomes: {}, gaps: 0, violations: [] };
  const end = from + seeds;
  const startedAt = performance.now();
  let next = from;
  let printedAt = startedAt;
  const task = (): Task | null => {
    if (next >= end) return null;
    const count = Math.min(BATCH, end - next);
    next += count;
    return { root: build.base, from: next - count, count, kind: {}, stopAtFirst: false };
  };
  await run(task, (_, report) => {
    total.ran += report.ran;
    total.steps += report.steps;
    total.gaps += report.gaps;
    for (const [outcome, count] of Object.entries(report.outcomes))
      total.outcomes[outcome] = (total.outcomes[outcome] ?? 0) + count;
    for (const { seed, text } of report.violations)
      print(`seed ${seed}: ${text}\n  npm run simulate -- --replay ${seed}`);
    total.violations.push(...report.violations);
    if (performance.now() - printedAt < PROGRESS_MS) return;
    printedAt = performance.now();
    print(`${total.ran} of ${seeds} schedules, ${total.violations.length} broke a promise`);
  });
  const seconds = (performance.now() - startedAt) / 1000;
  print(
    `${total.ran} schedules of ${Math.round(total.steps / total.ran)} steps in ${seconds.toFixed(1)} s (${Math.round(total.ran / seconds)}/s), ` +
      `results ${JSON.stringify(total.outcomes)}, ${total.gaps} executions after an operator's mistaken word: ${total.violations.length} broke a promise`,
  );
  return { isKept: total.violations.length === 0, gaps: total.gaps };
};

/** Finds for each mutant the first seed that breaks a promise. @returns whether every mutant was found */
export const findMutants = async (
  build: Build,
  options: { mutants: readonly Mutant[]; from: number; seeds: number; threads: number; print: Print },
): Promise<boolean> => {
  const { mutants, from, seeds, threads, print } = options;
  const run = startPool(build.base, threads);
  const waiting = [...mutants];
  const byRoot = new Map<string, Mutant>();
  let allFound = true;
  await run(
    () => {
      const mutant = waiting.shift();
      if (!mutant) return null;
      const root = build.mutate(mutant);
      byRoot.set(root, mutant);
      return { root, from, count: seeds, kind: mutant.kind, stopAtFirst: true };
    },
    ({ root }, { ran, violations }) => {
      const [first] = violations;
      if (!first) allFound = false;
      const found = first ? `found by seed ${first.seed}: ${first.text}` : `NOT FOUND in ${ran} schedules`;
      print(`${byRoot.get(root)?.name}: ${found}`);
    },
  );
  return allFound;
};

/** Runs one schedule again and prints its trace. @returns whether it broke no promise */
export const replaySchedule = async (
  build: Build,
  { seed, mutant, print }: { seed: number; mutant: Mutant | null; print: Print },
): Promise<boolean> => {
  const load = (path: string): Promise<unknown> =>
    import(pathToFileURL(join(build.base, "test/simulation", path)).href);
  const { runSeed } = (await load("run.js")) as {
    runSeed: (seed: number, code: CodeUnderTest, tracing: boolean) => Promise<ScheduleResult>;
  };
  const { loadCode } = (await load("code-under-test.js")) as {
    loadCode: (root: string) => Promise<CodeUnderTest>;
  };
  const run = await runSeed(seed, await loadCode(mutant ? build.mutate(mutant) : build.base), true);
  print(JSON.stringify(run.scenario, null, 2));
  for (const line of run.trace) print(line);
  print(run.violation ?? "no promise was broken");
  return run.violation === null;
};
