import type { Clock } from "../../runtime/clock.ts";
import { paceOf } from "./pace.ts";

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

/** A task's place among those that run. It has one when it starts. */
export type Place = {
  /** Gives the place to others while the task waits for something long. */
  leave(): void;
  /** Waits for a place; rejects with the signal's reason when it aborts first. */
  take(signal: AbortSignal | null): Promise<void>;
};

type Task = { key: string | null; run: (place: Place) => Promise<void> };

/** @param ended hears of the end of each task once `unfinished` does not count it any more */
export const keyOrder = (
  maxRunning: number,
  clock: Pick<Clock, "monotonic" | "sleep">,
  ended: () => void = () => undefined,
): KeyOrder => {
  /** Of each key with a task that runs or is ready to: those that wait for it. */
  const behind = new Map<string, Task[]>();
  /** Whoever may have the next free place, first come first served. */
  const ready = new Set<() => void>();
  const pace = paceOf(maxRunning);
  let isNapping = false;
  let running = 0;
  let unfinished = 0;

  const fill = (): void => {
    for (const next of ready) {
      if (running >= maxRunning) return;
      const now = clock.monotonic();
      const waitMs = pace.waitMs(running, now);
      if (waitMs > 0) {
        void nap(waitMs);
        return;
      }
      pace.began(now);
      ready.delete(next);
      running += 1;
      next();
    }
  };

  const nap = async (ms: number): Promise<void> => {
    if (isNapping) return;
    isNapping = true;
    await clock.sleep(ms);
    isNapping = false;
    fill();
  };

  const newPlace = (): Place => {
    let held = false;
    let since = 0;
    return {
      leave: () => {
        if (!held) return;
        held = false;
        pace.ended(clock.monotonic() - since);
        running -= 1;
        fill();
      },
      take: (signal) =>
        new Promise((resolve, reject) => {
          if (held) {
            resolve();
            return;
          }
          const granted = (): void => {
            signal?.removeEventListener("abort", refused);
            held = true;
            since = clock.monotonic();
            resolve();
          };
          const refused = (): void => {
            ready.delete(granted);
            reject(signal?.reason as Error);
          };
          if (signal?.aborted) {
            refused();
            return;
          }
          signal?.addEventListener("abort", refused, { once: true });
          ready.add(granted);
          fill();
        }),
    };
  };

  const execute = async (task: Task): Promise<void> => {
    const place = newPlace();
    // Without a signal: a listener for each of a thousand tasks that wait would cost more than the task.
    await place.take(null);
    await task.run(place);
    unfinished -= 1;
    place.leave();
    ended();
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
