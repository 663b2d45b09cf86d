import type { Replica } from "./replica.ts";
import type { Simulator } from "./simulator.ts";

/**
 * The control topic: it pauses and resumes commands. Each replica reads its records with a delay of its own.
 */
export const createPauses = (
  simulator: Simulator,
  replicas: readonly Replica[],
  hold: (replica: Replica, isHeld: boolean) => void,
) => {
  const { random } = simulator;
  const records = [false];
  /** How many records a replica has read: after a freeze an earlier record must not undo a later one. */
  const readCounts = new Map<Replica, number>();

  const read = (replica: Replica, count: number): void => {
    if (count <= (readCounts.get(replica) ?? 1)) return;
    readCounts.set(replica, count);
    simulator.note(() => `${replica.name} ${records[count - 1] ? "holds" : "goes on"}`);
    hold(replica, records[count - 1]!);
  };
  const write = (isHeld: boolean): void => {
    const count = records.push(isHeld);
    for (const replica of replicas) simulator.after(random.int(0, 300), replica, () => read(replica, count));
  };

  return {
    /** A replica that starts has read the topic before it takes a command. */
    follow: (replica: Replica): void => read(replica, records.length),
    pause: (forMs: number): void => {
      write(true);
      simulator.after(forMs, null, () => write(false));
    },
  };
};
