import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Report, Task } from "./worker.ts";

/** Worker threads that run schedules; each thread runs one task at a time. */
export const createPool = (base: string, threads: number) => {
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
  return {
    /** Hands out tasks to free threads until `next` returns null. Resolves when all are done. */
    run: async (next: () => Task | null, onReport: (task: Task, report: Report) => void): Promise<void> => {
      await Promise.all(
        workers.map(async (worker) => {
          for (let task = next(); task; task = next()) onReport(task, await ask(worker, task));
        }),
      );
    },
    close: async (): Promise<void> => {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
};
