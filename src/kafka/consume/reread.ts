import { silent } from "../../runtime/log.ts";
import type { Incoming } from "../record.ts";
import { readLog, type LogDeps } from "./read-log.ts";

const TIMEOUT_MS = 20_000;
/** The batch with the record comes whole. */
const FETCH = { maxBytesPerPartition: 16_384, waitMs: 100 };

/** Reads single records of a topic, those of a partition one after the other, over connections that stay open. */
export const createReread = (topic: string, deps: Omit<LogDeps, "log">) => {
  const stopped = new AbortController();
  const ends = new Map<number, (record: Incoming | null) => void>();
  const lastOf = new Map<number, Promise<unknown>>();
  const end = (partition: number, record: Incoming | null): void => ends.get(partition)?.(record);
  const reading = readLog(
    { topic, ...FETCH },
    {
      take: (record) => {
        end(record.partition, record);
        return true;
      },
      reached: (partition) => end(partition, null),
      lost: (partition) => end(partition, null),
    },
    { ...deps, log: silent },
    stopped.signal,
  );
  const ended = reading.ended.catch(() => undefined);

  return {
    stop: async (): Promise<void> => {
      stopped.abort(new Error("no more is read"));
      await ended;
    },
    /** Null when the log does not hold the record any more; rejects when it takes too long. */
    reread: (partition: number, offset: number): Promise<Incoming | null> => {
      const before = lastOf.get(partition);
      const record = deps.clock.withDeadline(TIMEOUT_MS, stopped.signal, async (signal) => {
        await before;
        signal.throwIfAborted();
        const { promise, resolve } = Promise.withResolvers<Incoming | null>();
        ends.set(partition, resolve);
        reading.add(new Map([[partition, { startOffset: offset, endOffset: offset + 1 }]]));
        return promise;
      });
      lastOf.set(
        partition,
        record.catch(() => undefined),
      );
      return record;
    },
  };
};
