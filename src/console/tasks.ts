import type { Clock } from "../runtime/clock.ts";
import { keepNewest } from "../runtime/keep-newest.ts";

/** Makes a page for whoever asks. */
export type Show<Context> = (context: Context) => Response | Promise<Response>;

type Task<Context> = { sent: string; show: Show<Context>; done: Promise<void> };

const WAIT_MS = 1_800;
/** Beyond it, those that began first are forgotten: what they did stands in the audit topic. */
const MAX_KEPT = 200;

/**
 * Actions by the id that their form brought along: the same form sent twice is one action, and its outcome can be
 * loaded again. One goes on when nobody looks.
 */
export const createTasks = <Context>(clock: Clock) => {
  const tasks = new Map<string, Task<Context>>();
  const stopping = new AbortController();
  return {
    /**
     * Begins it, unless the form was sent before. False where something else was sent with it. `sent`: what, and by
     * whom. `run` never rejects.
     */
    begin: (
      id: string,
      sent: string,
      meanwhile: Show<Context>,
      run: (stopped: AbortSignal) => Promise<Show<Context>>,
    ): boolean => {
      const before = tasks.get(id);
      if (before) return before.sent === sent;
      const task: Task<Context> = { sent, show: meanwhile, done: Promise.resolve() };
      task.done = run(stopping.signal).then((ended) => void (task.show = ended));
      keepNewest(tasks, id, task, MAX_KEPT);
      return true;
    },
    /** Its page, after waiting for its end for a moment. Null where no such task is known. */
    look: async (id: string): Promise<Show<Context> | null> => {
      const task = tasks.get(id);
      if (task) await clock.within(WAIT_MS, undefined, task.done).catch(() => undefined);
      return task?.show ?? null;
    },
    /** Stops all, and waits for their ends. */
    close: async (): Promise<void> => {
      stopping.abort();
      await Promise.all([...tasks.values()].map(({ done }) => done));
    },
  };
};
