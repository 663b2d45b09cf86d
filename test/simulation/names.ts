import type { Entry, Ref } from "../../src/commands-to-results/journal-rules/entry.ts";
import type { Oracle } from "./oracle.ts";
import type { Process } from "./world.ts";

/** The keys under which one process has read, or has begun to write, entries of one commandId. */
type Keys = { read: Set<string>; begun: Set<string> };

/** Watches that a commandId names one command: whoever has read what it names, or is at it, begins nothing else under it. */
export const createNames = (oracle: Pick<Oracle, "fail">) => {
  const known = new Map<Process, Map<string, Keys>>();
  /** An append that failed is repeated: only the first one begins. */
  const seen = new WeakSet<Entry>();

  const keysOf = (process: Process, commandId: string): Keys => {
    const ofProcess = known.get(process) ?? new Map<string, Keys>();
    const keys = ofProcess.get(commandId) ?? { read: new Set(), begun: new Set() };
    known.set(process, ofProcess.set(commandId, keys));
    return keys;
  };

  return {
    /** What names a command is its claim or its refusal: the release of a claim that never came into the log says nothing of the command. */
    read: (process: Process, key: string, { commandId, step }: Entry): void => {
      if (step.kind === "claimed" || step.kind === "concluded") keysOf(process, commandId).read.add(key);
    },
    begins: (process: Process, key: string, entry: Entry): void => {
      const { step, commandId } = entry;
      const isFirst = step.kind === "claimed" || (step.kind === "concluded" && step.attemptId === null);
      if (!isFirst || seen.has(entry)) return;
      seen.add(entry);
      const { read, begun } = keysOf(process, commandId);
      const others = [...read, ...begun].filter((other) => other !== key);
      if (others.length > 0 && !read.has(key))
        oracle.fail(
          `P5 ${process.name} begins ${commandId} for ${key}, though it names one for ${others.join()}`,
        );
      begun.add(key);
    },
    /** A job has ended, whatever it began. */
    ended: (process: Process, { key, commandId }: Ref): void => {
      keysOf(process, commandId).begun.delete(key);
    },
  };
};
