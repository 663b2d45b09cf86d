import type { EncodedHeaders } from "../../kafka/record.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";

/** The record that became a dead letter. */
export type Original = { key: Buffer | null; value: Buffer | null; headers: EncodedHeaders };

/** A dead letter without its bytes. */
export type DeadLetter = {
  place: RecordPosition;
  timestampMs: number;
  /** Empty where the record was not written by the bridge. */
  reason: string;
  detail: string;
  source: "webhook" | "command" | "unknown";
  /** Where a command came from. */
  origin: { topic: string; partition: number; offset: number; timestampMs: number } | null;
  /** When a notification was received. */
  receivedAtMs: number | null;
  /** Approximate size. */
  bytes: number;
  /** What is missing of a value that was too large for the topic, as text; null where it is whole. */
  missing: string | null;
  /** Why a replay of it would have no effect; null where none is known. */
  obstacle: string | null;
  /** The beginning of the value as text. */
  preview: string;
};

/** How people name a dead letter: `partition/offset`. */
export const refOf = ({ partition, offset }: RecordPosition): string => `${partition}/${offset}`;

/** Null for a text that is not of the form `partition/offset`. */
export const readRef = (text: string): RecordPosition | null => {
  const [, partition, offset] = /^(\d{1,9})\/(\d{1,15})$/.exec(text) ?? [];
  return partition === undefined || offset === undefined
    ? null
    : { partition: Number(partition), offset: Number(offset) };
};

/**
 * Commands in the order of their partition, so that each key keeps its order; notifications as they were
 * received.
 */
export const inOriginalOrder = (a: DeadLetter, b: DeadLetter): number =>
  (a.receivedAtMs ?? 0) - (b.receivedAtMs ?? 0) ||
  (a.origin?.partition ?? 0) - (b.origin?.partition ?? 0) ||
  (a.origin?.offset ?? 0) - (b.origin?.offset ?? 0) ||
  a.place.partition - b.place.partition ||
  a.place.offset - b.place.offset;
