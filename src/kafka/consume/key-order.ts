import { wakeOrAbort } from "../../runtime/abort.ts";

export type KeyOrder = ReturnType<typeof keyOrder>;

/** One of the `maxRunning` concurrency slots. A task holds one when it starts. */
export type ConcurrencySlot = {
  isHeld(): boolean;
  /** Frees the slot for other tasks while this one waits for something long. */
  leave(): void;
  /** Waits for a free slot; rejects with the signal's reason when it aborts first. */
  take(signal: AbortSignal): Promise<void>;
};

/** Runs tasks of one key in order of submission, and tasks of different keys concurrently. */
export const keyOrder = (maxRunning: number) => {
  /** By key: resolves when the key's last task has ended. A key without tasks has no entry. */
  const lastOf = new Map<string, Promise<void>>();
  /** The tasks that wait for a free slot, in order of arrival. Calling an entry gives it a slot. */
  const queue = new Set<() => void>();
  let running = 0;
  let unfinished = 0;
  let suspended = false;

  const isFull = (): boolean => suspended || running >= maxRunning;

  const fillSlots = (): void => {
    // The first entry of a long queue is found slowly, behind those that were deleted.
    if (isFull()) return;
    for (const enter of queue) {
      queue.delete(enter);
      running += 1;
      enter();
      if (isFull()) return;
    }
  };

  const newSlot = (): ConcurrencySlot => {
    let isHeld = true;
    return {
      isHeld: () => isHeld,
      leave: () => {
        if (!isHeld) return;
        isHeld = false;
        running -= 1;
        fillSlots();
      },
      take: (signal) => {
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
      },
    };
  };

  const run = async (
    task: (slot: ConcurrencySlot) => Promise<void>,
    before: Promise<void> | undefined,
  ): Promise<void> => {
    await before;
    await new Promise<void>((enter) => {
      queue.add(enter);
      fillSlots();
    });
    const slot = newSlot();
    await task(slot);
    unfinished -= 1;
    slot.leave();
  };

  return {
    /** A task with a null key is ordered with no other. The task must not reject. */
    submit: (key: string | null, task: (slot: ConcurrencySlot) => Promise<void>): void => {
      unfinished += 1;
      const ended = run(task, key === null ? undefined : lastOf.get(key));
      if (key === null) return;
      lastOf.set(key, ended);
      void ended.then(() => {
        if (lastOf.get(key) === ended) lastOf.delete(key);
      });
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
