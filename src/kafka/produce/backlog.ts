import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Outgoing } from "../record.ts";
import { PublishError } from "./publish-error.ts";

/** A record between `publish` and its settlement. Settled once; later outcomes are ignored. */
export type PendingRecord = {
  readonly sequence: number;
  readonly record: Outgoing;
  readonly bytes: number;
  /** When it was handed over and when it expires, in monotonic milliseconds. */
  readonly since: number;
  readonly deadline: number;
  /** Chosen once the number of partitions is known; -1 until then. */
  partition: number;
  isSettled: boolean;
  readonly resolve: (written: RecordPosition) => void;
  readonly reject: (error: PublishError) => void;
};

const RECORD_BYTES = 64;
const HEADER_BYTES = 10;

const wireSizeOf = ({ key, value, headers, encodedHeaders }: Outgoing): number => {
  let bytes = RECORD_BYTES + (key?.length ?? 0) + (value?.length ?? 0) + (encodedHeaders?.bytes.length ?? 0);
  for (const [name, text] of headers) bytes += HEADER_BYTES + name.length + (text?.length ?? 0);
  return bytes;
};

export type BacklogOptions = {
  topic: string;
  /** Limits of unacknowledged records and their bytes; beyond them records are rejected as `overloaded`. */
  maxWaiting: number;
  maxWaitingBytes: number;
  /** Called with the milliseconds from `publish` to the acknowledgement, unless the record was given up before. */
  acknowledged?: (ms: number) => void;
};

export const createBacklog = ({ topic, maxWaiting, maxWaitingBytes, acknowledged }: BacklogOptions) => {
  let size = 0;
  let waitingBytes = 0;
  let sequence = 0;

  const settle = (item: PendingRecord): boolean => {
    if (item.isSettled) return false;
    item.isSettled = true;
    size -= 1;
    waitingBytes -= item.bytes;
    return true;
  };

  return {
    size: (): number => size,

    admit: (
      record: Outgoing,
      settlement: Pick<PendingRecord, "since" | "deadline" | "resolve" | "reject">,
    ): PendingRecord | null => {
      const bytes = wireSizeOf(record);
      if (size >= maxWaiting || waitingBytes + bytes > maxWaitingBytes) return null;
      size += 1;
      waitingBytes += bytes;
      return { ...settlement, sequence: sequence++, record, bytes, partition: -1, isSettled: false };
    },

    /** Resolves the records of a batch whose partition was written, except those that were given up meanwhile. */
    written: (batch: readonly PendingRecord[], firstOffsets: ReadonlyMap<number, number>, now: number) => {
      const next = new Map(firstOffsets);
      for (const item of batch) {
        const offset = next.get(item.partition);
        if (offset === undefined) continue;
        next.set(item.partition, offset + 1);
        if (!settle(item)) continue;
        item.resolve({ partition: item.partition, offset });
        acknowledged?.(now - item.since);
      }
    },

    /** @param why continues the message after the name of the topic */
    failed: (item: PendingRecord, code: PublishError["code"], why: string, cause?: unknown): void => {
      if (settle(item)) item.reject(new PublishError(code, `${topic} ${why}`, cause));
    },
  };
};
