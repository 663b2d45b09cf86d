import type { SandboxClock } from "./clock.ts";

type Task = { dueAt: number; order: number; run: (dueAt: number) => void };

// Node's timers overflow above 2^31 ms: a longer wait is divided into hours.
const longestWaitMs = 3_600_000;

const before = (a: Task, b: Task): boolean => a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order);

/** A binary heap with a single timer: tasks run in the order of their due times, even under load. */
export const createScheduler = (clock: SandboxClock) => {
  const heap: Task[] = [];
  let order = 0;
  let cancel: (() => void) | undefined;
  let armedFor = Infinity;
  let closed = false;

  const push = (task: Task) => {
    let at = heap.length;
    heap.push(task);
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = heap[up];
      if (!parent || !before(task, parent)) break;
      heap[at] = parent;
      at = up;
    }
    heap[at] = task;
  };

  const pop = () => {
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let down = 2 * at + 1;
      let child = heap[down];
      const right = heap[down + 1];
      if (child && right && before(right, child)) {
        child = right;
        down += 1;
      }
      if (!child || !before(child, last)) break;
      heap[at] = child;
      at = down;
    }
    heap[at] = last;
  };

  const runDue = () => {
    armedFor = Infinity;
    for (let task = heap[0]; task && task.dueAt <= clock.now(); task = heap[0]) {
      pop();
      task.run(task.dueAt);
    }
    arm();
  };

  const arm = () => {
    const first = heap[0];
    if (!first || first.dueAt >= armedFor) return;
    cancel?.();
    armedFor = first.dueAt;
    cancel = clock.after(Math.min(Math.max(0, first.dueAt - clock.now()), longestWaitMs), runDue);
  };

  /** Removes all tasks. */
  const clear = () => {
    heap.length = 0;
    cancel?.();
    armedFor = Infinity;
  };

  return {
    /**
     * Runs `run` at `dueAt`, or at once when that has passed. Tasks of the same instant run in the order of the
     * calls.
     */
    at: (dueAt: number, run: (dueAt: number) => void) => {
      if (closed) return;
      push({ dueAt, order: order++, run });
      arm();
    },
    clear,
    /** Removes all tasks, and ignores new ones. */
    close: () => {
      closed = true;
      clear();
    },
  };
};

export type Scheduler = ReturnType<typeof createScheduler>;
