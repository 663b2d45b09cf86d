import type { Clock } from "../../runtime/clock.ts";
import { linkedAbortController } from "../../runtime/abort.ts";

/** Made once: its stack costs more than the waiting. */
const OVER = new Error("the wait is over");

/** The only wait in this folder that takes time. It never rejects nor says why it ended: whoever waits looks again. */
export const wait = async (
  clock: Pick<Clock, "sleep">,
  ms: number,
  signal: AbortSignal,
  ...events: readonly ((signal: AbortSignal) => Promise<unknown>)[]
): Promise<void> => {
  if (events.length === 0) return clock.sleep(ms, signal).catch(() => undefined);
  const over = linkedAbortController(signal);
  const ends = [clock.sleep(ms, over.signal), ...events.map((event) => event(over.signal))];
  await Promise.race(ends.map((end) => end.catch(() => undefined)));
  over.abort(OVER);
};
