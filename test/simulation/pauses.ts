import type { Replica } from "./replica.ts";
import type { World } from "./world.ts";

/** The control topic: it says whether commands may be begun, and each replica hears of it in its own time. */
export const createPauses = (
  world: World,
  replicas: readonly Replica[],
  hold: (replica: Replica, isHeld: boolean) => void,
) => {
  const { random } = world;
  const said = [false];
  /** How many of them a replica has read: after a freeze an earlier one does not undo a later one. */
  const read = new Map<Replica, number>();

  const hear = (replica: Replica, count: number): void => {
    if (count <= (read.get(replica) ?? 1)) return;
    read.set(replica, count);
    world.note(() => `${replica.name} ${said[count - 1] ? "holds" : "goes on"}`);
    hold(replica, said[count - 1]!);
  };
  const say = (isHeld: boolean): void => {
    const count = said.push(isHeld);
    for (const replica of replicas) world.after(random.int(0, 300), replica, () => hear(replica, count));
  };

  return {
    /** A replica that starts has read the topic before it takes a command. */
    follow: (replica: Replica): void => hear(replica, said.length),
    pause: (forMs: number): void => {
      say(true);
      world.after(forMs, null, () => say(false));
    },
  };
};
