import { setMaxListeners } from "node:events";
import type { Mark } from "../mark.ts";
import type { Slot } from "./key-order.ts";
import type { Watermark } from "./watermark.ts";

/** What is known of a partition between gaining and losing it. */
export type AssignedPartition = {
  /** Aborts when the partition is lost or the process stops. */
  readonly lost: AbortController;
  /** Aborts then as well, and when the consumer is held; there is a new one when it goes on. */
  stop: AbortController;
  /** Null until the first record of a log of which nothing was committed: that one is read from its beginning. */
  watermark: Watermark | null;
  /** The offset that the group has from us; -1 for none. */
  committed: number;
  /** Why the partition is not read now: where to begin is being asked, another look is taken at its log, or it holds all that it may. */
  pausedFor: "place" | "look" | "room" | null;
  /** Whether a record came since reading began here or was interrupted: from then on each one follows on the last. */
  isSettled: boolean;
  /** How often in a row the log has begun anew below what was read. */
  looks: number;
  /** How far a log was read in whose slot another one was found, of which nothing was read yet. */
  replacedAt: number | null;
};

/** Each record under way listens to it. */
export const newAbortController = (): AbortController => {
  const end = new AbortController();
  setMaxListeners(0, end.signal);
  return end;
};

export const newAssignedPartition = (): AssignedPartition => ({
  lost: newAbortController(),
  stop: newAbortController(),
  watermark: null,
  committed: -1,
  pausedFor: "place",
  isSettled: false,
  looks: 0,
  replacedAt: null,
});

/** The partition was lost, or the process stops. */
export const endAssignment = ({ lost, stop }: AssignedPartition, reason: Error): void => {
  lost.abort(reason);
  stop.abort(reason);
};

/** Tells what is under way to stop, or lets it be handled again. */
export const suspendPartition = (assigned: AssignedPartition, isSuspended: boolean): void => {
  if (isSuspended) assigned.stop.abort(new Error("no record is begun now"));
  else if (assigned.stop.signal.aborted) assigned.stop = newAbortController();
};

/**
 * Handles a record until that succeeds or the assigned ends: again after a pause when it failed, and when it gets a slot again after it was held.
 * @param options.failed resolves when the pause is over
 */
export const handleUntilDone = async (
  assigned: AssignedPartition,
  slot: Slot,
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

/** The offset to read from: that of the last record, which is read once more to see that the log is still the same one. */
export const readFrom = ({ watermark }: AssignedPartition): number =>
  watermark ? (watermark.last?.offset ?? watermark.next) : 0;

/** How the first record of a fetch stands to what was read before. */
export type Continuity =
  | "follows"
  /** It is behind the one that was expected. */
  | "leaves a gap"
  /** It is before the one that was asked for: kafkajs found no such offset, and has begun at the log's beginning. */
  | "starts over"
  /** Another record stood in its slot. */
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
