import type { Connections } from "../operate/connections.ts";
import { openDoubts, type OpenDoubts } from "../operate/doubts/doubts.ts";
import type { createReadings, Reading } from "./readings.ts";

const WAIT_MS = 1_500;
const CHECK_EVERY_MS = 25;

const isRead = (opened: OpenDoubts): boolean => {
  const { isComplete, problem } = opened.progress();
  return isComplete || problem !== null;
};

/**
 * One reading of the journal for all pages. It is opened when somebody looks, and closed when nobody does: the
 * journal's view takes memory.
 */
export const shareDoubts = (
  connections: Connections,
  { read }: Pick<ReturnType<typeof createReadings>, "read">,
) => {
  const { clock, log } = connections.services;
  const opened = new Set<OpenDoubts>();

  const close = async (one: OpenDoubts): Promise<void> => {
    if (opened.delete(one)) await one.close();
  };
  const open = async (signal: AbortSignal): Promise<OpenDoubts> => {
    const one = await openDoubts(connections, signal);
    opened.add(one);
    const closeIt = (): void =>
      void close(one).catch((error: unknown) => log.warn({ sentence: String(error) }, "console.warning"));
    if (signal.aborted) closeIt();
    else signal.addEventListener("abort", closeIt, { once: true });
    return one;
  };

  return {
    /** Opens them if need be, and waits for a moment until all is read. */
    look: async (): Promise<Reading<OpenDoubts>> => {
      const untilMs = clock.monotonic() + WAIT_MS;
      const found = await read("doubts", (_, signal) => open(signal), Infinity);
      if (found.kind === "read")
        while (!isRead(found.value) && clock.monotonic() < untilMs) await clock.sleep(CHECK_EVERY_MS);
      return found;
    },
    /** How many are known at this moment; null where nobody has looked. */
    known: (): number | null => [...opened].at(-1)?.numbers().doubts ?? null,
    close: async (): Promise<void> => {
      await Promise.all([...opened].map(close));
    },
  };
};
