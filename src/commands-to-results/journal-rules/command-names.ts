import type { Ref } from "./entry.ts";
import { keyName } from "./fingerprint.ts";

/**
 * Which command each commandId names, among those that this replica begins now. The view knows a commandId once its first entry is folded;
 * until then two commands with one commandId could begin side by side.
 */
export type CommandNames = {
  /** False when the commandId names a command under another key. Who takes it gives it back. */
  take(job: { ref: Ref }): boolean;
  giveBack(job: { ref: Ref }): void;
};

export const createCommandNames = (): CommandNames => {
  const named = new Map<string, { place: string; jobs: Set<object> }>();
  return {
    take: (job) => {
      const place = keyName(job.ref);
      const found = named.get(job.ref.commandId) ?? { place, jobs: new Set() };
      if (found.place !== place) return false;
      named.set(job.ref.commandId, found);
      found.jobs.add(job);
      return true;
    },
    giveBack: (job) => {
      const found = named.get(job.ref.commandId);
      if (found?.jobs.delete(job) && found.jobs.size === 0) named.delete(job.ref.commandId);
    },
  };
};
