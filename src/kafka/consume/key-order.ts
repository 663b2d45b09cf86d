import { wakeOrAbort } from "../../runtime/abort.ts";

export type KeyOrder = ReturnType<typeof keyOrder>;

type Task = (slot: ConcurrencySlot) => Promise<void>;

/** One of the `maxRunning` concurrency slots. A task holds one when it starts. */
export type ConcurrencySlot = {
  /** Frees the slot for other tasks while this one waits for something long. */
  leave(): void;
  /** Waits for a free slot; rejects with the signal's reason when it aborts first. */
  take(signal: AbortSignal): Promise<void>;
};

/**
 * Runs tasks of the same key one after the other, in order of submission, and tasks of different keys concurrently, at
 * most `maxRunning` at once.
 */
export const keyOrder = (maxRunning: number) => {
  /** By key with a task that is running or queued: the tasks that come after it. */
  const waitingByKey = new Map<string, Task[]>();
  /** Waits for a free slot, first come, first served. Calling an entry gives it the slot. */
  const queue = new Set<() => void>();
  let running = 0;
  let unfinished = 0;
  let suspended = false;

  const fillSlots = (): void => {
    for (const enter of queue) {
      if (suspended || running >= maxRunning) return;
      queue.delete(enter);
      running += 1;
      enter();
    }
  };

  const newSlot = (): ConcurrencySlot => {
    let isHeld = true;

    const leave = (): void => {
      if (!isHeld) return;
      isHeld = false;
      running -= 1;
      fillSlots();
    };
    const take = (signal: AbortSignal): Promise<void> => {
      if (isHeld) return Promise.resolve();
      const entered = wakeOrAbort(signal, (wake) => {
        const enter = (): void => {
          isHeld = true;
          wake();
        };
        queue.add(enter);
        return () => queue.delete(enter);
      });
      fillSlots();
      return entered;
    };
    return { leave, take };
  };

  const begin = (key: string | null, task: Task): void => {
    // In a microtask: tasks that leave their slot at once would otherwise start each other recursively.
    queue.add(() => queueMicrotask(() => void run(key, task)));
    fillSlots();
  };

  const run = async (key: string | null, task: Task): Promise<void> => {
    const slot = newSlot();
    await task(slot);
    unfinished -= 1;
    slot.leave();
    if (key === null) return;
    const next = waitingByKey.get(key)?.shift();
    if (next) begin(key, next);
    else waitingByKey.delete(key);
  };

  return {
    /** A task with a null key is ordered with no other. The task must not reject. */
    submit: (key: string | null, task: Task): void => {
      unfinished += 1;
      const waiting = key === null ? undefined : waitingByKey.get(key);
      if (waiting) {
        waiting.push(task);
        return;
      }
      if (key !== null) waitingByKey.set(key, []);
      begin(key, task);
    },
    /** While suspended no task starts, and no task that has left its slot gets one again. Running tasks go on. */
    suspend: (isSuspended: boolean): void => {
      suspended = isSuspended;
      fillSlots();
    },
    get unfinished(): number {
      return unfinished;
    },
    get running(): number {
      return running;
    },
  };
};
