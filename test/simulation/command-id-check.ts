import type { Entry, JournalStep, Ref } from "../../src/commands-to-results/accept-once/entry.ts";
import type { Oracle } from "./oracle.ts";
import type { SimulatedProcess } from "./simulator.ts";

/** The journal keys under which a process has read, or has begun to write, entries of one commandId. */
type Keys = { read: Set<string>; begun: Set<string> };

/**
 * Checks that a commandId names one command: a process that has read an entry of it, or is executing it, must
 * not begin another command under the same commandId.
 */
export const createCommandIdCheck = (oracle: Pick<Oracle, "fail">) => {
  const known = new Map<SimulatedProcess, Map<string, Keys>>();
  /** A failed append is repeated with the same step: only the first one is a beginning. */
  const seen = new WeakSet<JournalStep>();

  const keysOf = (process: SimulatedProcess, commandId: string): Keys => {
    const ofProcess = known.get(process) ?? new Map<string, Keys>();
    const keys = ofProcess.get(commandId) ?? { read: new Set(), begun: new Set() };
    known.set(process, ofProcess.set(commandId, keys));
    return keys;
  };

  return {
    /** Claims and conclusions name a command. A release does not: its claim may never have been written. */
    read: (process: SimulatedProcess, key: string, { commandId, step }: Entry): void => {
      if (step.kind === "claimed" || step.kind === "concluded") keysOf(process, commandId).read.add(key);
    },
    begins: (process: SimulatedProcess, { key, commandId }: Ref, step: JournalStep): void => {
      const isFirst = step.kind === "claimed" || (step.kind === "concluded" && step.attemptId === null);
      if (!isFirst || seen.has(step)) return;
      seen.add(step);
      const { read, begun } = keysOf(process, commandId);
      const others = [...read, ...begun].filter((other) => other !== key);
      if (others.length > 0 && !read.has(key))
        oracle.fail(
          `P5 ${process.name} begins ${commandId} for ${key}, though it names one for ${others.join()}`,
        );
      begun.add(key);
    },
    /** The execution of a command has ended. */
    ended: (process: SimulatedProcess, { key, commandId }: Ref): void => {
      keysOf(process, commandId).begun.delete(key);
    },
  };
};
