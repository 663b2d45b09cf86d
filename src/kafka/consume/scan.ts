import { sentenceOf } from "../../runtime/health.ts";
import { linkedAbortController } from "../../runtime/linked-abort.ts";
import type { Incoming } from "../record.ts";
import { PlaceLost } from "./place.ts";
import { readLog, type LogDeps, type Ranges } from "./read-log.ts";

/**
 * Takes one record. The records of a partition come in order; the next one comes when the promise is fulfilled. An
 * error ends the scan.
 */
export type TakeRecord = (record: Incoming) => void | Promise<void>;

/**
 * A fetch is decoded without a pause: with six partitions of small events this blocks the event loop for about 20 ms.
 */
const MAX_BYTES_PER_PARTITION = 65_536;
const STALLED_MS = 60_000;
const WATCH_MS = 1_000;

/**
 * Reads ranges of a topic once and ends. Rejects when a log was replaced, when nothing comes for a minute, when `take`
 * throws, and when `signal` aborts. Then some records may have been taken: to get all, scan again from the beginning.
 */
export const scan = async (
  { topic, ranges }: { topic: string; ranges: Ranges },
  take: TakeRecord,
  deps: LogDeps,
  signal: AbortSignal,
): Promise<void> => {
  signal.throwIfAborted();
  const { clock } = deps;
  const over = linkedAbortController(signal);
  let progressAt = clock.monotonic();
  const progressed = (): void => void (progressAt = clock.monotonic());

  const { ended, health } = readLog(
    { topic, ranges, toEnd: true, maxBytesPerPartition: MAX_BYTES_PER_PARTITION },
    {
      take: (record) => {
        progressed();
        return take(record)?.then(() => true) ?? true;
      },
      reached: progressed,
    },
    deps,
    over.signal,
  );
  const watch = setInterval(() => {
    if (clock.monotonic() - progressAt > STALLED_MS)
      over.abort(
        new Error(`nothing more of ${topic} came for ${STALLED_MS / 1_000} s: ${sentenceOf(health())}`),
      );
  }, WATCH_MS);
  try {
    await ended;
  } catch (error) {
    throw error instanceof PlaceLost ? new Error(`${topic}: ${error.message}`, { cause: error }) : error;
  } finally {
    clearInterval(watch);
    over.abort();
  }
};
