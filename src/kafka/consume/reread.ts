import { messageOf } from "../../runtime/errors.ts";
import { protocolErrorOf } from "../errors.ts";
import type { Incoming } from "../record.ts";
import { openLogClient, type LogClient } from "./log-client.ts";
import type { LogDeps } from "./read-log.ts";

const TIMEOUT_MS = 20_000;
const AGAIN_AFTER_MS = 500;
/** The batch with the record comes whole. */
const FETCH = { maxBytesPerPartition: 16_384, waitMs: 100 };

/** Reads single records of a topic, one after the other, over one connection. */
export const createReread = (topic: string, { newClient, clock }: Pick<LogDeps, "newClient" | "clock">) => {
  let opening: Promise<LogClient> | null = null;
  let before: Promise<unknown> = Promise.resolve();

  const stop = async (): Promise<void> => {
    const last = opening;
    opening = null;
    await last?.then((client) => client.close()).catch(() => undefined);
  };

  const readOnce = async (partition: number, offset: number): Promise<Incoming | null | "not yet"> => {
    const client = await (opening ??= openLogClient(topic, newClient, clock));
    const leader = client.leaders.get(partition) ?? null;
    if (leader === null) throw new Error(`partition ${partition} of ${topic} has no leader`);
    const [fetched] = await client.fetch(leader, new Map([[partition, offset]]), FETCH);
    if (!fetched || fetched.next <= offset) return "not yet";
    return fetched.records.find((record) => record.offset === offset) ?? null;
  };

  const read = async (partition: number, offset: number, signal: AbortSignal): Promise<Incoming | null> => {
    while (!signal.aborted) {
      try {
        const found = await readOnce(partition, offset);
        if (found !== "not yet") return found;
      } catch (error) {
        if (protocolErrorOf(error) === "OFFSET_OUT_OF_RANGE") return null;
        void stop();
        await clock.sleep(AGAIN_AFTER_MS, signal).catch(() => undefined);
      }
    }
    throw new Error(messageOf(signal.reason));
  };

  return {
    stop,
    /** Null when the log does not hold the record any more; rejects when it takes too long. */
    reread: (partition: number, offset: number): Promise<Incoming | null> => {
      const reading = clock.withDeadline(TIMEOUT_MS, undefined, async (signal) => {
        await before;
        return read(partition, offset, signal);
      });
      before = reading.catch(() => undefined);
      return reading;
    },
  };
};
