import type { Random } from "./random.ts";

/** Something that has a life of its own: a replica, or an operator at the command line. */
export type Process = {
  name: string;
  alive: boolean;
  /** Virtual time until which nothing happens in it. */
  frozenUntilMs: number;
};

type Event = { atMs: number; order: number; owner: Process | null; run: () => void };

/** Virtual time, and everything that is still going to happen. */
export type World = ReturnType<typeof createWorld>;

const before = (a: Event, b: Event): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

/** Lets every promise that can go on do so: a tick comes when the queue of microtasks is empty. */
const settle = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

export const createWorld = (random: Random, tracing: boolean) => {
  const heap: Event[] = [];
  const trace: string[] = [];
  let nowMs = 0;
  let order = 0;
  let steps = 0;

  const push = (event: Event): void => {
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(event, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  };

  const pop = (): Event | undefined => {
    const top = heap[0];
    const last = heap.pop();
    if (!top || !last || heap.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child += 1;
      if (!before(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return top;
  };

  return {
    random,
    nowMs: () => nowMs,
    steps: () => steps,
    trace,
    /** Notes what happens; the text is only built when somebody will read it. */
    note: (text: () => string): void => {
      if (tracing) trace.push(`${String(nowMs).padStart(7)} ms  ${text()}`);
    },
    /** Has something happen later. What belongs to a process happens only while it is alive and not frozen. */
    after: (delayMs: number, owner: Process | null, run: () => void): void =>
      push({ atMs: nowMs + delayMs, order: order++, owner, run }),
    /** Lets the next thing happen. False when nothing is left. */
    step: async (): Promise<boolean> => {
      for (;;) {
        const event = pop();
        if (!event) return false;
        const { owner } = event;
        if (owner && !owner.alive) continue;
        nowMs = Math.max(nowMs, event.atMs);
        if (owner && owner.frozenUntilMs > nowMs) {
          // Everything that came up meanwhile is there at once when it wakes, in no particular order.
          push({ ...event, atMs: owner.frozenUntilMs + random.int(0, 3), order: random.int(0, order) });
          continue;
        }
        steps += 1;
        event.run();
        if (owner) await settle();
        return true;
      }
    },
  };
};
