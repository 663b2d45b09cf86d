import { keepNewest } from "../runtime/keep-newest.ts";
import type { Clock } from "../runtime/clock.ts";

/** Makes a page for whoever asks. */
export type Show<Context> = (context: Context) => Response | Promise<Response>;

/** What a person does. It goes on when nobody looks. */
export type Task<Context> = {
  by: string;
  /** What there is to see while it goes on. */
  meanwhile: Show<Context>;
  /** What came of it; null while it goes on. */
  ended: Show<Context> | null;
  stop: () => void;
};

/** How one is carried out. `run` gives what is to be shown at its end, and never rejects. */
export type Work<Context> = {
  by: string;
  meanwhile: Show<Context>;
  run: (stopped: AbortSignal) => Promise<Show<Context>>;
};

const WAIT_MS = 1_800;
/** Beyond it, those that began first are forgotten: what they did stands in the audit topic. */
const MAX_KEPT = 200;

/**
 * Actions by the id that their form brought along: the same form sent twice is one action, and its outcome can be
 * loaded again.
 */
export const createTasks = <Context>({ clock }: { clock: Clock }) => {
  const known = new Map<string, Task<Context> & { done: Promise<void> }>();
  return {
    /** Begins it, unless the form was sent before. False where another person has sent it. */
    begin: (id: string, { by, meanwhile, run }: Work<Context>): boolean => {
      const before = known.get(id);
      if (before) return before.by === by;
      const stopping = new AbortController();
      const task = { by, meanwhile, ended: null, stop: () => stopping.abort(), done: Promise.resolve() };
      const one: Task<Context> & { done: Promise<void> } = task;
      one.done = run(stopping.signal).then((ended) => {
        one.ended = ended;
      });
      keepNewest(known, id, one, MAX_KEPT);
      return true;
    },
    /** Waits for its end for a moment. Null where no such task is known. */
    look: async (id: string): Promise<Task<Context> | null> => {
      const task = known.get(id);
      if (!task) return null;
      await clock.within(WAIT_MS, undefined, task.done).catch(() => undefined);
      return task;
    },
    /** Stops all, and waits for their ends. */
    close: async (): Promise<void> => {
      for (const task of known.values()) task.stop();
      await Promise.all([...known.values()].map(({ done }) => done));
    },
  };
};
