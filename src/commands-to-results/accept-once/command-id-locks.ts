import type { Ref } from "./entry.ts";

type Holder = { prepared: { ref: Ref } };

export type CommandIdLocks = ReturnType<typeof createCommandIdLocks>;

/** The view knows a commandId only once its first entry is folded: until then two commands could begin with it. */
export const createCommandIdLocks = () => {
  const locks = new Map<string, { owner: Ref; jobs: Set<object> }>();
  return {
    /** False while a command under another journal key has the commandId. Jobs of one key share the lock. */
    isFree: ({ prepared: { ref } }: Holder): boolean => {
      const owner = locks.get(ref.commandId)?.owner ?? ref;
      return owner.key === ref.key && owner.operation === ref.operation;
    },
    /** Called in the synchronous step in which it is free. */
    acquire: (job: Holder): void => {
      const { ref } = job.prepared;
      const lock = locks.get(ref.commandId) ?? { owner: ref, jobs: new Set() };
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
