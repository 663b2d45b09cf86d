import { messageOf } from "../../runtime/errors.ts";
import { protocolErrorOf } from "../errors.ts";
import type { Incoming } from "../record.ts";
import { openLogClient, type LogClient } from "./log-client.ts";
import type { LogDeps } from "./read-log.ts";

const TIMEOUT_MS = 20_000;
const AGAIN_AFTER_MS = 500;
/** The batch with the record comes whole. */
const FETCH = { maxBytesPerPartition: 16_384, waitMs: 100 };

const NO_LEADER = new Error("it has no leader");

/**
 * Reads single records of a topic, those of a partition one after the other, over one connection. A read that fails
 * goes on over a connection of its own, and delays no other partition's.
 */
export const createReread = (topic: string, { newClient, clock }: Pick<LogDeps, "newClient" | "clock">) => {
  let shared: Promise<LogClient> | null = null;
  const lastOf = new Map<number, Promise<unknown>>();

  const open = (): Promise<LogClient> => openLogClient(topic, newClient, clock);
  const close = async (last: Promise<LogClient> | null): Promise<void> => {
    await last?.then((client) => client.close()).catch(() => undefined);
  };
  const stop = (): Promise<void> => {
    const last = shared;
    shared = null;
    return close(last);
  };

  const readOnce = async (
    client: LogClient,
    partition: number,
    offset: number,
  ): Promise<Incoming | null | "not yet"> => {
    const leader = client.leaders.get(partition) ?? null;
    if (leader === null) throw NO_LEADER;
    const [fetched] = await client.fetch(leader, new Map([[partition, offset]]), FETCH);
    if (fetched?.error) throw fetched.error;
    if (!fetched || fetched.next <= offset) return "not yet";
    return fetched.records.find((record) => record.offset === offset) ?? null;
  };

  const read = async (partition: number, offset: number, signal: AbortSignal): Promise<Incoming | null> => {
    let separate: Promise<LogClient> | null = null;
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      const client = separate ?? (shared ??= open());
      try {
        const record = await readOnce(await client, partition, offset);
        if (record === "not yet") continue;
        if (separate) {
          // What has failed is replaced for all.
          void stop();
          shared = separate;
        }
        return record;
      } catch (error) {
        if (client === shared && error !== NO_LEADER) void stop();
        void close(separate);
        if (protocolErrorOf(error) === "OFFSET_OUT_OF_RANGE") return null;
        await clock.sleep(AGAIN_AFTER_MS, signal).catch(() => undefined);
        separate = isOver() ? null : open();
      }
    }
    void close(separate);
    throw new Error(messageOf(signal.reason));
  };

  return {
    stop,
    /** Null when the log does not hold the record any more; rejects when it takes too long. */
    reread: (partition: number, offset: number): Promise<Incoming | null> => {
      const before = lastOf.get(partition);
      const reading = clock.withDeadline(TIMEOUT_MS, undefined, async (signal) => {
        await before;
        return read(partition, offset, signal);
      });
      lastOf.set(
        partition,
        reading.catch(() => undefined),
      );
      return reading;
    },
  };
};
