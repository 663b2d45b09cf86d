import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Outgoing } from "../record.ts";
import type { PublishError } from "./publish-error.ts";

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

/** Lengths, attributes and deltas of a record. */
const RECORD_BYTES = 64;
const HEADER_BYTES = 10;

/** Approximate size of a record on the wire, in bytes. */
export const wireSizeOf = ({ key, value, headers, encodedHeaders }: Outgoing): number => {
  let bytes = RECORD_BYTES + (key?.length ?? 0) + (value?.length ?? 0) + (encodedHeaders?.bytes.length ?? 0);
  for (const [name, text] of headers) bytes += HEADER_BYTES + name.length + (text?.length ?? 0);
  return bytes;
};
