import { isApart, isUp, sentenceOf } from "../../runtime/health.ts";
import { linkedAbortController } from "../../runtime/abort.ts";
import type { Incoming } from "../record.ts";
import { PlaceLost } from "./place.ts";
import { readLog, type LogDeps } from "./read-log.ts";
import type { Ranges } from "../ranges.ts";

/** Takes a partition's records in order; the next one comes when the promise is fulfilled. An error ends the scan. */
export type TakeRecord = (record: Incoming) => void | Promise<void>;

/** A fetch is decoded without a pause: six partitions of small events block the event loop for about 20 ms. */
const MAX_BYTES_PER_PARTITION = 65_536;
const STALLED_MS = 60_000;
const WATCH_MS = 1_000;
/** How long a partition may take to find its next leader. */
const APART_MS = 10_000;
const ONLY_APART = new Error("only partitions are left that cannot be read");

/**
 * Reads ranges once. Resolves with the partitions that lost their leader or hold an unreadable batch. Rejects if a log
 * was replaced, nothing comes for a minute, `take` throws, or `signal` aborts: to get all, scan from the beginning.
 */
export const scan = async (
  { topic, ranges }: { topic: string; ranges: Ranges },
  take: TakeRecord,
  deps: LogDeps,
  signal: AbortSignal,
): Promise<ReadonlySet<number>> => {
  signal.throwIfAborted();
  const { clock } = deps;
  const over = linkedAbortController(signal);
  let progressAt = clock.monotonic();
  const progressed = (): void => void (progressAt = clock.monotonic());
  const { add, ended, health, troubles } = readLog(
    { topic, endsWhenRead: true, maxBytesPerPartition: MAX_BYTES_PER_PARTITION },
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
  add(ranges);
  const watch = setInterval(() => {
    const silentMs = clock.monotonic() - progressAt;
    if (silentMs > APART_MS && !isUp(health()) && troubles().every(isApart)) over.abort(ONLY_APART);
    const stalled = `nothing more of ${topic} came for ${STALLED_MS / 1_000} s: ${sentenceOf(health())}`;
    if (silentMs > STALLED_MS) over.abort(new Error(stalled));
  }, WATCH_MS);
  try {
    await ended;
    return new Set();
  } catch (error) {
    if (error === ONLY_APART) return new Set(troubles().map(({ partition }) => partition));
    throw error instanceof PlaceLost ? new Error(`${topic}: ${error.message}`, { cause: error }) : error;
  } finally {
    clearInterval(watch);
    over.abort();
  }
};
