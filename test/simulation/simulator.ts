import type { Random } from "./random.ts";

/** A replica, or an operator's command line. */
export type SimulatedProcess = {
  name: string;
  alive: boolean;
  /** Nothing happens in it until this virtual time. */
  frozenUntilMs: number;
};

type Event = { atMs: number; order: number; owner: SimulatedProcess | null; run: () => void };

/** Virtual time, and a queue of the events to come. */
export type Simulator = ReturnType<typeof createSimulator>;

const before = (a: Event, b: Event): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

/** Lets all settled promises continue: nextTick runs when the queue of microtasks is empty. */
const runMicrotasks = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

export const createSimulator = (random: Random, tracing: boolean) => {
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
    /** Adds a line to the trace. The text is built only when tracing is on. */
    note: (text: () => string): void => {
      if (tracing) trace.push(`${String(nowMs).padStart(7)} ms  ${text()}`);
    },
    /** Schedules an event. An event of a process runs only while the process is alive and not frozen. */
    after: (delayMs: number, owner: SimulatedProcess | null, run: () => void): void =>
      push({ atMs: nowMs + delayMs, order: order++, owner, run }),
    /** Runs the next event. False when none is left. */
    step: async (): Promise<boolean> => {
      for (;;) {
        const event = pop();
        if (!event) return false;
        const { owner } = event;
        if (owner && !owner.alive) continue;
        nowMs = Math.max(nowMs, event.atMs);
        if (owner && owner.frozenUntilMs > nowMs) {
          // Events during a freeze run together after it, in a random order.
          push({ ...event, atMs: owner.frozenUntilMs + random.int(0, 3), order: random.int(0, order) });
          continue;
        }
        steps += 1;
        event.run();
        if (owner) await runMicrotasks();
        return true;
      }
    },
  };
};
