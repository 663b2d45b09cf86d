import { messageOf } from "../../runtime/errors.ts";
import { disconnected, type Health } from "../../runtime/health.ts";
import { PlaceLost, type LogHooks } from "./place.ts";
import { readLog, type LogDeps, type LogOptions, type LogReading, type Ranges } from "./read-log.ts";

export type TailHooks = LogHooks & {
  /** Reading starts over: forget everything that was read before. Gives what to read of these ranges. */
  begin: (ranges: Ranges) => Ranges;
};

const AGAIN_AFTER_MS = 1_000;
/** A fetch is decoded without a pause, and blocks the event loop meanwhile. A long log is read for minutes. */
const MAX_BYTES_PER_PARTITION = 524_288;

/** Follows a topic from the start of given ranges, for ever. Starts over if it cannot go on where it stopped. */
export const startTail = (
  options: Pick<LogOptions, "topic" | "minBytes" | "waitMs">,
  { begin, ...hooks }: TailHooks,
  deps: LogDeps & { ranges: () => Promise<Ranges> },
) => {
  const { clock, log } = deps;
  const { topic } = options;
  const stopped = new AbortController();
  let round = new AbortController();
  let reading: LogReading | null = null;
  let fault: Health = { kind: "starting" };
  let isAgain = false;

  const isStopped = (): boolean => stopped.signal.aborted;
  const follow = async (): Promise<void> => {
    while (!isStopped()) {
      round = new AbortController();
      try {
        const found = await deps.ranges();
        if (isStopped()) return;
        const ranges = begin(found);
        // A log that lacks an entry must not be read all the time.
        if (isAgain) await clock.sleep(AGAIN_AFTER_MS, round.signal);
        const settings = { ...options, ranges, toEnd: false, maxBytesPerPartition: MAX_BYTES_PER_PARTITION };
        reading = readLog(settings, hooks, deps, round.signal);
        await reading.ended;
      } catch (error) {
        reading = null;
        if (round.signal.aborted) continue;
        fault = disconnected(error, fault, clock);
        isAgain = error instanceof PlaceLost;
        // At once: what was read before must not be trusted any longer.
        if (isAgain) log.warn({ topic, reason: messageOf(error) }, "kafka.tail.gap");
        else await clock.sleep(AGAIN_AFTER_MS, stopped.signal).catch(() => undefined);
      }
    }
  };
  const following = follow();

  return {
    health: (): Health => reading?.health() ?? fault,
    focus: (positions: ReadonlyMap<number, number>): void => reading?.focus(positions),
    /** Starts reading over. */
    restart: (): void => round.abort(),
    stop: async (): Promise<void> => {
      stopped.abort();
      round.abort();
      await following;
    },
  };
};
