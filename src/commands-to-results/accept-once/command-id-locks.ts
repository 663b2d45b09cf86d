import type { Ref } from "./entry.ts";
import { keyName } from "./fingerprint.ts";

type Holder = { prepared: { ref: Ref } };

export type CommandIdLocks = ReturnType<typeof createCommandIdLocks>;

/** The view knows a commandId only once its first entry is folded: until then two commands could begin with it. */
export const createCommandIdLocks = () => {
  const locks = new Map<string, { key: string; jobs: Set<object> }>();
  return {
    /** False while a command under another journal key has the commandId. Jobs of one key share the lock. */
    isFree: ({ prepared: { ref } }: Holder): boolean => {
      const lock = locks.get(ref.commandId);
      return lock === undefined || lock.key === keyName(ref);
    },
    /** Called in the synchronous step in which it is free. */
    acquire: (job: Holder): void => {
      const { ref } = job.prepared;
      const lock = locks.get(ref.commandId) ?? { key: keyName(ref), jobs: new Set() };
      locks.set(ref.commandId, lock);
      lock.jobs.add(job);
    },
    release: (job: Holder): void => {
      const { commandId } = job.prepared.ref;
      const lock = locks.get(commandId);
      if (lock?.jobs.delete(job) && lock.jobs.size === 0) locks.delete(commandId);
    },
  };
};
