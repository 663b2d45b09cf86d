import type { ConcurrencySlot } from "./key-order.ts";
import type { Watermark } from "./watermark.ts";

/** The state of a partition while it is assigned to this consumer. A partition that comes back gets a new one. */
export const newAssignedPartition = () => ({
  /** Aborts when the partition is revoked or the process stops. */
  lost: new AbortController(),
  /** Also aborts when the consumer is suspended; replaced when it goes on. */
  stop: new AbortController(),
  /** Null until the group's committed offset is known. */
  watermark: null as Watermark | null,
  /** Why it is not read: where to read is looked up, or its records use up the memory limit. */
  waitsFor: "place" as "place" | "room" | null,
});

export type AssignedPartition = ReturnType<typeof newAssignedPartition>;

export const endAssignment = ({ lost, stop }: AssignedPartition, reason: Error): void => {
  lost.abort(reason);
  stop.abort(reason);
};

export const suspendPartition = (assigned: AssignedPartition, isSuspended: boolean): void => {
  if (isSuspended) assigned.stop.abort(new Error("the consumer is suspended"));
  else if (assigned.stop.signal.aborted) assigned.stop = new AbortController();
};

/** Handles a record until that succeeds or the assignment ends. @param failed resolves when the retry may begin */
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
