import { messageOf } from "../../runtime/errors.ts";
import { disconnected, isApart, isUp, type Health, type PartitionTrouble } from "../../runtime/health.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Ranges, TopicRanges } from "../ranges.ts";
import { PlaceLost, type LogHooks } from "./place.ts";
import { readLog, type LogDeps, type LogOptions, type LogReading } from "./read-log.ts";

export type TailHooks = LogHooks & {
  /** Forgets what was read of these partitions; gives what to read anew. @param partitions how many the topic has */
  begin: (ranges: Ranges, partitions: number) => Ranges;
};

const AGAIN_AFTER_MS = 1_000;
/** How often partitions that could not be asked are asked again. */
const MISSING_EVERY_MS = 2_000;
/** A fetch is decoded without a pause, and blocks the event loop meanwhile. A long log is read for minutes. */
const MAX_BYTES_PER_PARTITION = 524_288;

const endless = (ranges: Ranges): Ranges =>
  new Map([...ranges].map(([partition, range]) => [partition, { ...range, endOffset: Infinity }]));

/** Follows a topic from the start of its ranges, for ever. Starts over if it cannot go on where it stopped. */
export const startTail = (
  options: Pick<LogOptions, "topic" | "minBytes" | "waitMs" | "paceMs">,
  { begin, ...hooks }: TailHooks,
  deps: LogDeps & { ranges: () => Promise<TopicRanges> },
) => {
  const { clock, log } = deps;
  const { topic } = options;
  const stopped = new AbortController();
  let round = new AbortController();
  let reading: LogReading | null = null;
  let fault: Health = { kind: "starting" };
  let isAfterGap = false;

  const addLater = async (target: LogReading, first: TopicRanges, signal: AbortSignal): Promise<void> => {
    const partitions = first.ranges.size + first.missing.size;
    let { missing } = first;
    while (missing.size > 0) {
      await clock.sleep(MISSING_EVERY_MS, signal);
      const { ranges } = await deps.ranges().catch(() => ({ ranges: new Map() as Ranges }));
      if (signal.aborted) return;
      const more = new Map([...ranges].filter(([partition]) => missing.has(partition)));
      missing = new Set([...missing].filter((partition) => !more.has(partition)));
      if (more.size > 0) target.add(endless(begin(more, partitions)));
    }
  };
  const follow = async (signal: AbortSignal): Promise<void> => {
    const first = await deps.ranges();
    signal.throwIfAborted();
    const ranges = begin(first.ranges, first.ranges.size + first.missing.size);
    // A log that lacks an entry must not be read all the time.
    if (isAfterGap) await clock.sleep(AGAIN_AFTER_MS, signal);
    const settings = { ...options, maxBytesPerPartition: MAX_BYTES_PER_PARTITION };
    reading = readLog(settings, hooks, deps, signal);
    reading.miss(first.missing);
    reading.add(endless(ranges));
    addLater(reading, first, signal).catch(() => undefined);
    await reading.ended;
  };
  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      round = new AbortController();
      const { signal } = round;
      try {
        await follow(signal);
      } catch (error) {
        reading = null;
        if (signal.aborted) continue;
        round.abort();
        fault = disconnected(error, fault, clock);
        isAfterGap = error instanceof PlaceLost;
        // Starts over at once, because what was read before must not be trusted any longer.
        if (isAfterGap) log.warn({ topic, reason: messageOf(error) }, "kafka.tail.gap");
        else await clock.sleep(AGAIN_AFTER_MS, stopped.signal).catch(() => undefined);
      }
    }
  };
  const running = run();

  const health = (): Health => reading?.health() ?? fault;
  const troublesOf = (unread: readonly number[]): PartitionTrouble[] | null => {
    if (reading === null || !unread.every(reading.wasApart)) return null;
    const lacks = new Map(reading.troubles().map((trouble) => [trouble.partition, trouble]));
    return unread.map((partition) => lacks.get(partition) ?? { kind: "catchingUp", partition });
  };

  return {
    /** The troubles of unread partitions; null if one of them never had any, and is still being read. */
    troublesOf,
    /** The health of a topic of which these partitions are not read yet; null if that is not their own trouble. */
    unreadHealth: (unread: readonly number[]): Health | null => {
      const lacks = troublesOf(unread) ?? [];
      const followed = health();
      // A partition that is well again is read soon, unless all of them fail now.
      const isExcused = lacks.some(isApart) || isUp(followed) || followed.kind === "starting";
      return lacks.length > 0 && isExcused ? { kind: "unreadPartitions", topic, troubles: lacks } : null;
    },
    health,
    awaitRecord: (position: RecordPosition): void => reading?.awaitRecord(position),
    focus: (positions: ReadonlyMap<number, number>): void => reading?.focus(positions),
    restart: (): void => round.abort(),
    stop: async (): Promise<void> => {
      stopped.abort();
      round.abort();
      await running;
    },
  };
};
