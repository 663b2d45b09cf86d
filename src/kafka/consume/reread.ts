import { silent } from "../../runtime/log.ts";
import type { Incoming } from "../record.ts";
import { readLog, type LogDeps } from "./read-log.ts";

const TIMEOUT_MS = 20_000;
/** The batch with the record comes whole. */
const FETCH = { maxBytesPerPartition: 16_384, waitMs: 100 };

/** Reads single records of a topic, those of a partition one after the other, over connections that stay open. */
export const createReread = (topic: string, deps: Omit<LogDeps, "log">) => {
  const stopped = new AbortController();
  /** By partition, the read under way, and what ends it. */
  const reads = new Map<number, { offset: number; end: (record: Incoming | null) => void }>();
  const lastOf = new Map<number, Promise<unknown>>();
  const end = (partition: number): void => reads.get(partition)?.end(null);
  const reading = readLog(
    { topic, ...FETCH },
    {
      take: (record) => {
        // A record that came too late for an earlier read may still arrive: it is ignored.
        const read = reads.get(record.partition);
        if (read?.offset === record.offset) read.end(record);
        return true;
      },
      reached: end,
      lost: end,
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
        reads.set(partition, { offset, end: resolve });
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
