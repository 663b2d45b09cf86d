import type { Ref } from "./entry.ts";

type Holder = { prepared: { ref: Ref } };

export type CommandIdLocks = ReturnType<typeof createCommandIdLocks>;

/** The view knows a commandId only once its first entry is folded: until then two commands could begin with it. */
export const createCommandIdLocks = () => {
  /** By commandId, in the order in which they came: the first of them owns it. */
  const locks = new Map<string, Set<Holder>>();
  return {
    /** False while a command under another journal key owns the commandId. Jobs of one key share it. */
    isFree: (job: Holder): boolean => {
      const { ref } = job.prepared;
      const [owner = job] = locks.get(ref.commandId) ?? [];
      return owner.prepared.ref.key === ref.key && owner.prepared.ref.operation === ref.operation;
    },
    /** A job that finds its claim in the journal comes after the owner, and owns the commandId after it. */
    acquire: (job: Holder): void => {
      const { commandId } = job.prepared.ref;
      const jobs = locks.get(commandId) ?? new Set();
      locks.set(commandId, jobs.add(job));
    },
    release: (job: Holder): void => {
      const { commandId } = job.prepared.ref;
      const jobs = locks.get(commandId);
      if (jobs?.delete(job) && jobs.size === 0) locks.delete(commandId);
    },
  };
};
