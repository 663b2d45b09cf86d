/**
 * Runs tasks so that those of one key run one after the other in the order of their coming, those of different keys side by side,
 * and no more than `maxRunning` at once.
 */
export type KeyOrder = {
  /** `key` null: a key of its own. The task must not reject. */
  submit(key: string | null, task: Task): void;
  /** While held nothing begins, and nobody who has left a slot gets one. What runs goes on. */
  suspend(isSuspended: boolean): void;
  /** Tasks submitted and not finished. */
  readonly unfinished: number;
  readonly running: number;
};

export type Task = (slot: Slot) => Promise<void>;

/** A task's slot among those that run. It has one when it starts. */
export type Slot = {
  /** Gives the slot to others while the task waits for something long. */
  leave(): void;
  /** Waits for a slot; rejects with the signal's reason when it aborts first. */
  take(signal: AbortSignal): Promise<void>;
};

export const keyOrder = (maxRunning: number): KeyOrder => {
  /** Of each key with a task that has begun, or begins when there is a slot: those that come after it. */
  const waitingByKey = new Map<string, Task[]>();
  /** What begins or goes on with the next free slot, first come, first served. Who is called has the slot. */
  const queue = new Set<() => void>();
  let running = 0;
  let unfinished = 0;
  let suspended = false;

  const fill = (): void => {
    for (const enter of queue) {
      if (suspended || running >= maxRunning) return;
      queue.delete(enter);
      running += 1;
      enter();
    }
  };

  /** A slot that is held already. */
  const newSlot = (): Slot => {
    let isHeld = true;

    const leave = (): void => {
      if (!isHeld) return;
      isHeld = false;
      running -= 1;
      fill();
    };
    const take = (signal: AbortSignal): Promise<void> =>
      new Promise((resolve, reject) => {
        const enter = (): void => {
          signal.removeEventListener("abort", giveUp);
          isHeld = true;
          resolve();
        };
        const giveUp = (): void => {
          queue.delete(enter);
          reject(signal.reason as Error);
        };
        if (isHeld) resolve();
        else if (signal.aborted) giveUp();
        else {
          signal.addEventListener("abort", giveUp, { once: true });
          queue.add(enter);
          fill();
        }
      });
    return { leave, take };
  };

  const begin = (key: string | null, task: Task): void => {
    // Not within the call: a task that leaves its slot at once would have the next one begin inside of it, and so on.
    queue.add(() => queueMicrotask(() => void run(key, task)));
    fill();
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
    submit: (key, task) => {
      unfinished += 1;
      const waiting = key === null ? undefined : waitingByKey.get(key);
      if (waiting) {
        waiting.push(task);
        return;
      }
      if (key !== null) waitingByKey.set(key, []);
      begin(key, task);
    },
    suspend: (isSuspended) => {
      suspended = isSuspended;
      fill();
    },
    get unfinished() {
      return unfinished;
    },
    get running() {
      return running;
    },
  };
};
