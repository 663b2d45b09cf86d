/**
 * Runs tasks so that those of one key run one after the other in the order of their coming, those of different keys side by side,
 * and no more than `maxRunning` at once.
 */
export type KeyOrder = {
  /** `key` null: a key of its own. The task must not reject. */
  submit(key: string | null, task: (place: Place) => Promise<void>): void;
  /** Tasks submitted and not finished. */
  readonly unfinished: number;
  readonly running: number;
};

/** A task's right to run. */
export type Place = {
  /** Gives the place to others while waiting for something long; takes one again before it goes on. */
  stepAside<T>(wait: () => Promise<T>): Promise<T>;
};

type Task = { key: string | null; run: (place: Place) => Promise<void> };

export const keyOrder = (maxRunning: number): KeyOrder => {
  /** Of each key with a task that runs or is ready to: those that wait for it. */
  const behind = new Map<string, Task[]>();
  /** Whoever may have the next free place, first come first served. */
  const ready: (() => void)[] = [];
  let running = 0;
  let unfinished = 0;

  const acquire = (): Promise<void> =>
    new Promise((resolve) => {
      ready.push(resolve);
      fill();
    });

  const fill = (): void => {
    while (running < maxRunning) {
      const next = ready.shift();
      if (!next) return;
      running += 1;
      next();
    }
  };

  const release = (): void => {
    running -= 1;
    fill();
  };

  const place: Place = {
    stepAside: async (wait) => {
      release();
      try {
        return await wait();
      } finally {
        await acquire();
      }
    },
  };

  const execute = async (task: Task): Promise<void> => {
    await acquire();
    await task.run(place);
    unfinished -= 1;
    release();
    if (task.key === null) return;
    const next = behind.get(task.key)?.shift();
    if (next) void execute(next);
    else behind.delete(task.key);
  };

  return {
    submit: (key, run) => {
      unfinished += 1;
      const task = { key, run };
      const waiting = key === null ? undefined : behind.get(key);
      if (waiting) {
        waiting.push(task);
        return;
      }
      if (key !== null) behind.set(key, []);
      void execute(task);
    },
    get unfinished() {
      return unfinished;
    },
    get running() {
      return running;
    },
  };
};
