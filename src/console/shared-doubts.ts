import type { Connections } from "../operate/connections.ts";
import { openDoubts, type OpenDoubts } from "../operate/doubts/doubts.ts";
import type { createReadings, Reading } from "./readings.ts";

const WAIT_MS = 1_500;
const CHECK_EVERY_MS = 25;

/**
 * One reading of the journal for all pages. It is opened when somebody looks, and closed when nobody does: the
 * journal's view takes memory.
 */
export const shareDoubts = (
  connections: Connections,
  { read }: Pick<ReturnType<typeof createReadings>, "read">,
) => {
  const { clock, log } = connections.services;
  let closed = Promise.resolve();

  const open = async (signal: AbortSignal): Promise<OpenDoubts> => {
    const opened = await openDoubts(connections, signal);
    const close = (): void => {
      closed = opened
        .close()
        .catch((error: unknown) => log.warn({ sentence: String(error) }, "console.warning"));
    };
    if (signal.aborted) close();
    else signal.addEventListener("abort", close, { once: true });
    return opened;
  };

  return {
    /** Opens them if need be, and waits for a moment until all is read. */
    look: async (): Promise<Reading<OpenDoubts>> => {
      const untilMs = clock.monotonic() + WAIT_MS;
      const found = await read("doubts", (_, signal) => open(signal), Infinity);
      const isBusy = (): boolean => {
        const now = found.value?.progress();
        return now !== undefined && !now.isComplete && now.problem === null;
      };
      while (isBusy() && clock.monotonic() < untilMs) await clock.sleep(CHECK_EVERY_MS);
      return found;
    },
    /** Resolves when the one that was told to stop is closed. */
    closed: (): Promise<void> => closed,
  };
};
