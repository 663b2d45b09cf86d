import type { Outgoing, Written } from "../record.ts";

/**
 * Why a record was not written.
 * - `timeout`: its deadline passed; it may have been written, or still be
 * - `overloaded`: too much is waiting already; it was not written
 * - `closed`: the publisher is shutting down; it was not written
 * - `refused`: Kafka will never take this record
 */
export class PublishError extends Error {
  override readonly name = "PublishError";
  constructor(
    readonly code: "timeout" | "overloaded" | "closed" | "refused",
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

/** Trying again changes nothing; a smaller record may be taken. */
export const isRefused = (error: unknown): boolean =>
  error instanceof PublishError && error.code === "refused";

/** A record on its way. Settled once; whatever comes later is ignored. */
export type Waiting = {
  readonly sequence: number;
  readonly record: Outgoing;
  readonly bytes: number;
  /** Since when it waits and until when it may, in monotonic milliseconds. */
  readonly since: number;
  readonly deadline: number;
  /** Chosen once the number of partitions is known; -1 until then. */
  partition: number;
  isSettled: boolean;
  readonly resolve: (written: Written) => void;
  readonly reject: (error: PublishError) => void;
};

/** Lengths and deltas. */
const RECORD_BYTES = 64;
const HEADER_BYTES = 10;

/** About how many bytes a record takes on the wire. */
export const sizeOf = ({ key, value, headers, encodedHeaders }: Outgoing): number => {
  let bytes = RECORD_BYTES + (key?.length ?? 0) + (value?.length ?? 0) + (encodedHeaders?.bytes.length ?? 0);
  for (const [name, text] of headers) bytes += HEADER_BYTES + name.length + (text?.length ?? 0);
  return bytes;
};
