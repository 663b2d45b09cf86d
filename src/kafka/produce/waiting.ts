import type { Link } from "../../runtime/linked-list.ts";
import type { Headers, Outgoing, Written } from "../record.ts";

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
  /** Its place in the backlog. Null once it is settled. */
  link: Link<Waiting> | null;
  readonly resolve: (written: Written) => void;
  readonly reject: (error: PublishError) => void;
};

export const isSettled = ({ link }: Waiting): boolean => link === null;

const HEADER_BYTES = 24;

const sizeOfHeaders = (headers: Headers): number => {
  let bytes = 0;
  for (const header of Object.values(headers)) {
    if (Array.isArray(header)) for (const part of header) bytes += HEADER_BYTES + part.length;
    else bytes += HEADER_BYTES + (header?.length ?? 0);
  }
  return bytes;
};

/** About how many bytes a record takes on the wire. */
export const sizeOf = ({ key, value, headers, common }: Outgoing): number =>
  64 +
  (key?.length ?? 0) +
  (value?.length ?? 0) +
  sizeOfHeaders(headers) +
  (common ? sizeOfHeaders(common) : 0);
