import type { Outgoing, Written } from "../record.ts";
import type { PublishError } from "./publish-error.ts";

/** A record on its way. Settled once; whatever comes later is ignored. */
export type PendingRecord = {
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
export const wireSizeOf = ({ key, value, headers, encodedHeaders }: Outgoing): number => {
  let bytes = RECORD_BYTES + (key?.length ?? 0) + (value?.length ?? 0) + (encodedHeaders?.bytes.length ?? 0);
  for (const [name, text] of headers) bytes += HEADER_BYTES + name.length + (text?.length ?? 0);
  return bytes;
};
