import type { Connections } from "../operate/connections.ts";
import { openDoubts, type OpenDoubts } from "../operate/doubts/doubts.ts";

/** The doubts as they are known at this moment. */
export type DoubtsNow =
  { kind: "opening" } | { kind: "failed"; error: unknown } | { kind: "open"; doubts: OpenDoubts };

const WAIT_MS = 1_500;
const CHECK_EVERY_MS = 25;
/** Nobody looks any more: the journal's view takes memory. */
const IDLE_MS = 120_000;
const LOOK_EVERY_MS = 5_000;
/** After an outage it is opened anew. */
const AGAIN_MS = 2_000;

type Held = {
  now: DoubtsNow;
  seenAtMs: number;
  endedAtMs: number;
  stop: AbortController;
  opened: Promise<void>;
};

/** One reading of the journal for all pages. It is opened when somebody looks, and closed when nobody does. */
export const shareDoubts = (connections: Connections) => {
  const { clock, log } = connections.services;
  let held: Held | null = null;

  const close = async (one: Held): Promise<void> => {
    if (held === one) held = null;
    one.stop.abort();
    await one.opened;
    if (one.now.kind === "open") await one.now.doubts.close();
  };

  const closeWhenIdle = async (one: Held): Promise<void> => {
    while (held === one && clock.monotonic() - one.seenAtMs < IDLE_MS)
      await clock.sleep(LOOK_EVERY_MS, one.stop.signal);
    await close(one);
  };

  const open = (): Held => {
    const stop = new AbortController();
    const begun = { seenAtMs: clock.monotonic(), endedAtMs: 0, stop, opened: Promise.resolve() };
    const one: Held = { now: { kind: "opening" }, ...begun };
    one.opened = openDoubts(connections, stop.signal).then(
      (doubts) => void (one.now = { kind: "open", doubts }),
      (error: unknown) =>
        void Object.assign(one, { now: { kind: "failed", error }, endedAtMs: clock.monotonic() }),
    );
    held = one;
    closeWhenIdle(one).catch((error: unknown) => {
      if (!stop.signal.aborted) log.warn({ sentence: String(error) }, "console.warning");
    });
    return one;
  };

  const isOver = ({ now, endedAtMs }: Held): boolean =>
    now.kind === "failed" && clock.monotonic() - endedAtMs > AGAIN_MS;

  const isRead = ({ now }: Held): boolean => {
    if (now.kind !== "open") return now.kind === "failed";
    const { isComplete, problem } = now.doubts.progress();
    return isComplete || problem !== null;
  };

  return {
    /** Opens them if need be, and waits for a moment until all is read. */
    look: async (): Promise<DoubtsNow> => {
      if (held && isOver(held)) void close(held);
      const one = held ?? open();
      one.seenAtMs = clock.monotonic();
      const untilMs = clock.monotonic() + WAIT_MS;
      while (!isRead(one) && clock.monotonic() < untilMs) await clock.sleep(CHECK_EVERY_MS);
      return one.now;
    },
    /** How many are known at this moment; null where nobody has looked. Never throws. */
    known: (): number | null => (held?.now.kind === "open" ? held.now.doubts.numbers().doubts : null),
    close: (): Promise<void> => (held ? close(held) : Promise.resolve()),
  };
};
