import { setMaxListeners } from "node:events";
import type { Mark } from "../mark.ts";
import type { ConcurrencySlot } from "./key-order.ts";
import type { Watermark } from "./watermark.ts";

/** The state of a partition while it is assigned to this consumer. A partition that comes back gets a new one. */
export type AssignedPartition = {
  /** Aborts when the partition is revoked or the process stops. */
  readonly lost: AbortController;
  /** Also aborts when the consumer is suspended; replaced when it goes on. */
  stop: AbortController;
  /** Null until the first record when the group has committed nothing: the log is read from its beginning. */
  watermark: Watermark | null;
  /** The last offset that was committed; -1 for none. */
  committed: number;
  /**
   * Why the partition is not fetched: its committed offset is looked up, its log is checked again, or its records use
   * up the memory limit.
   */
  pausedFor: "position" | "look" | "room" | null;
  /**
   * Whether a record was read since the last seek: only the first record after a seek must be checked against the last
   * one.
   */
  isSettled: boolean;
  /** How often in a row a fetch began below the expected offset. */
  looks: number;
  /** The next offset of the log before it was replaced; set until the first record of the new log. */
  replacedAt: number | null;
};

/** Without a limit of listeners: each record under way adds one. */
export const newAbortController = (): AbortController => {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
};

export const newAssignedPartition = (): AssignedPartition => ({
  lost: newAbortController(),
  stop: newAbortController(),
  watermark: null,
  committed: -1,
  pausedFor: "position",
  isSettled: false,
  looks: 0,
  replacedAt: null,
});

/** To be called when the partition is revoked or the process stops. */
export const endAssignment = ({ lost, stop }: AssignedPartition, reason: Error): void => {
  lost.abort(reason);
  stop.abort(reason);
};

/** Stops the records under way, or lets them be handled again. */
export const suspendPartition = (assigned: AssignedPartition, isSuspended: boolean): void => {
  if (isSuspended) assigned.stop.abort(new Error("the consumer is suspended"));
  else if (assigned.stop.signal.aborted) assigned.stop = newAbortController();
};

/**
 * Handles a record until that succeeds or the assignment ends. Retries after a failure, and after a suspension, once it
 * has a slot again.
 * @param failed called with the error; resolves when the pause before the retry is over
 */
export const handleUntilDone = async (
  assigned: AssignedPartition,
  slot: ConcurrencySlot,
  {
    handle,
    failed,
  }: { handle: (signal: AbortSignal) => Promise<void>; failed: (error: unknown) => Promise<void> },
): Promise<void> => {
  const lost = assigned.lost.signal;
  const isLost = (): boolean => lost.aborted;
  while (!isLost()) {
    const { signal } = assigned.stop;
    try {
      await handle(signal);
      return;
    } catch (error) {
      if (isLost()) return;
      slot.leave();
      const pause = signal.aborted ? Promise.resolve() : failed(error);
      await pause.then(() => slot.take(lost)).catch(() => undefined);
    }
  }
};

/** The offset to seek to: that of the last record. It is read again to check that the log is still the same. */
export const readFrom = ({ watermark }: AssignedPartition): number =>
  watermark ? (watermark.last?.offset ?? watermark.next) : 0;

/** How the first record of a fetch relates to what was read before. */
export type Continuity =
  | "follows"
  /** Its offset is above the expected one. */
  | "leaves a gap"
  /** Its offset is below the requested one: that was out of range, and kafkajs has gone to the beginning of the log. */
  | "starts over"
  /** The offset is the expected one, the timestamp is another: the record before the seek was a different one. */
  | "belongs to another log";

export const continuityOf = (
  { watermark, isSettled }: { watermark: Pick<Watermark, "next" | "last">; isSettled: boolean },
  first: Mark,
): Continuity => {
  const known = isSettled ? null : watermark.last;
  const from = known?.offset ?? watermark.next;
  if (first.offset < from) return "starts over";
  if (first.offset > from) return "leaves a gap";
  return known && known.timestampMs !== first.timestampMs ? "belongs to another log" : "follows";
};
