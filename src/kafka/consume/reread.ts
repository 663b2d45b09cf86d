import { startReader, type GroupOptions, type Reader, type ReaderDeps } from "./reader.ts";
import type { Incoming } from "../record.ts";

type Wanted = { offset: number; resolve: (record: Incoming | null) => void };

/**
 * Reads one record by its offset. Null when the log does not hold it any more; rejects when it takes too
 * long.
 */
export type Reread = (partition: number, offset: number) => Promise<Incoming | null>;

const TIMEOUT_MS = 20_000;
const IDLE_MS = 30_000;
const MAX_BYTES_PER_PARTITION = 262_144;

/**
 * kafkajs reads only as a member of a group, and joining takes a while. So one member is kept while there are
 * requests. It fetches only the partitions that are wanted.
 */
export const createReread = (
  options: GroupOptions,
  deps: ReaderDeps,
  start = startReader,
): { reread: Reread; stop: () => Promise<void> } => {
  const wanted = new Map<number, Wanted[]>();
  let reader: Reader | null = null;
  let idle: NodeJS.Timeout | undefined;

  const positions = (): Map<number, number> =>
    new Map(
      [...wanted].map(([partition, list]) => [partition, Math.min(...list.map(({ offset }) => offset))]),
    );

  const keep = (partition: number, list: Wanted[]): void => {
    if (list.length > 0) wanted.set(partition, list);
    else wanted.delete(partition);
    reader?.focus(positions());
    if (wanted.size === 0) stopWhenIdle();
  };

  const read = (partition: number, records: readonly Incoming[]): void => {
    const list = wanted.get(partition);
    const last = records.at(-1);
    if (!list || !last) return;
    const byOffset = new Map(records.map((record) => [record.offset, record]));
    const left = list.filter((item) => {
      // Records come in order: when a later offset has come, the record is gone.
      if (item.offset > last.offset) return true;
      item.resolve(byOffset.get(item.offset) ?? null);
      return false;
    });
    keep(partition, left);
  };

  const stop = async (): Promise<void> => {
    clearTimeout(idle);
    const current = reader;
    reader = null;
    await current?.stop();
  };

  const stopWhenIdle = (): void => {
    clearTimeout(idle);
    idle = setTimeout(() => void stop(), IDLE_MS);
    idle.unref();
  };

  const open = (): Reader => {
    clearTimeout(idle);
    return (reader ??= start(
      { ...options, maxBytesPerPartition: MAX_BYTES_PER_PARTITION },
      {
        assigned: () => {
          // After this callback: kafkajs ignores a pause of a partition that is not yet assigned.
          setImmediate(() => reader?.focus(positions()));
          return positions();
        },
        read,
      },
      deps,
    ));
  };

  return {
    stop,
    reread: async (partition, offset) => {
      let item: Wanted | undefined;
      const others = () => (wanted.get(partition) ?? []).filter((other) => other !== item);
      const found = new Promise<Incoming | null>((resolve) => {
        item = { offset, resolve };
        wanted.set(partition, [...others(), item]);
      });
      open().focus(positions());
      try {
        return await deps.clock.within(TIMEOUT_MS, undefined, found);
      } finally {
        keep(partition, others());
      }
    },
  };
};
