import type { Ref } from "./entry.ts";
import { keyName } from "./fingerprint.ts";

export type CommandIdLocks = ReturnType<typeof createCommandIdLocks>;

/**
 * Locks on the commandIds of commands that this replica works on. The view knows a commandId only once its
 * first entry is folded; until then two commands with one commandId could begin at the same time.
 */
export const createCommandIdLocks = () => {
  const locks = new Map<string, { key: string; jobs: Set<object> }>();
  return {
    /** False when a command under another journal key holds the commandId. Jobs of one key share the lock. */
    acquire: (job: { ref: Ref }): boolean => {
      const key = keyName(job.ref);
      const found = locks.get(job.ref.commandId) ?? { key, jobs: new Set() };
      if (found.key !== key) return false;
      locks.set(job.ref.commandId, found);
      found.jobs.add(job);
      return true;
    },
    release: (job: { ref: Ref }): void => {
      const found = locks.get(job.ref.commandId);
      if (found?.jobs.delete(job) && found.jobs.size === 0) locks.delete(job.ref.commandId);
    },
  };
};
