import type { Committed } from "../mark.ts";
import { messageOf } from "../../runtime/errors.ts";
import type { Health } from "../../runtime/health.ts";
import { ownCopy, recordBytes } from "./record-memory.ts";
import { keepCommitting } from "./keep-committing.ts";
import { keyOrder, type ConcurrencySlot } from "./key-order.ts";
import { watchLag } from "./lag.ts";
import { joinGroup, type GroupDeps, type GroupOptions } from "./group.ts";
import type { Incoming } from "../record.ts";
import { readAssigned, type ClusterQuestions, type ReadOptions } from "./read-assigned.ts";
import {
  endAssignment,
  suspendPartition,
  newAssignedPartition,
  handleUntilDone,
  type AssignedPartition,
} from "./assigned-partition.ts";
import type { Watermark } from "./watermark.ts";

export type OrderedOptions = GroupOptions &
  ReadOptions & {
    maxInFlight: number;
    /** Limit for unfinished records, shared equally by the partitions: one that has used up its share is not fetched. */
    maxHeldBytes: number;
    /** Metadata to commit with the offsets. Null: commit nothing, since that would overwrite the last metadata. */
    note?: () => string | null;
    /** Called after each commit that the group has taken. */
    committed?: (() => Promise<void>) | undefined;
  };

/**
 * Handles one record. Resolves when its offset may be committed; after a rejection it is handled again. `signal` aborts
 * when the partition is revoked, the process stops, or the consumer is suspended: then it is handled again later.
 */
export type Handle = (
  record: Incoming,
  context: { slot: ConcurrencySlot; signal: AbortSignal },
) => Promise<void>;

export type OrderedConsumer = ReturnType<typeof startOrderedConsumer>;

const AGAIN_AFTER_MS = 2_000;
const RESUME_BELOW = 7 / 8;
/** Measured: what a record takes in addition once its handling has begun. Thousands of these may wait without a slot. */
const UNDER_WAY_BYTES = 8_192;
/** How often all offsets are committed: a crashing kafkajs consumer reports unsent commits, and repeats old ones. */
const COMMIT_ALL_EVERY_MS = 5_000;

export const startOrderedConsumer = (
  options: OrderedOptions,
  handle: Handle,
  deps: GroupDeps & { connectCluster: () => Promise<ClusterQuestions> },
) => {
  const { clock, log } = deps;
  const tasks = keyOrder(options.maxInFlight);
  const assignedPartitions = new Map<number, AssignedPartition>();
  /** Bytes of unfinished records by partition. Those that go on although their partition was revoked count too. */
  const heldBytes = new Map<number, number>();
  const heldBy = (partition: number): number => heldBytes.get(partition) ?? 0;
  const shareBytes = (): number => options.maxHeldBytes / Math.max(1, assignedPartitions.size);
  let stopping = false;
  let allCommittedAt = Number.NEGATIVE_INFINITY;

  const onAssigned = (partitions: readonly number[]): void => {
    for (const [partition, assigned] of assignedPartitions) {
      if (partitions.includes(partition)) continue;
      // Another replica may be handling these records already: their offsets must never be committed here.
      assignedPartitions.delete(partition);
      reading.drop(partition);
      endAssignment(assigned, new Error("the partition went to another replica"));
    }
    if (stopping) return;
    const gained = new Map<number, AssignedPartition>();
    for (const partition of partitions)
      if (!assignedPartitions.has(partition)) gained.set(partition, newAssignedPartition());
    for (const [partition, assigned] of gained) assignedPartitions.set(partition, assigned);
    if (gained.size > 0) void reading.begin(gained);
    for (const partition of partitions) {
      // With fewer partitions each share of the memory limit is larger.
      resumeIfRoom(partition);
      reading.readOn(partition);
    }
  };

  /** Reads on once a part of the share is free: commands that wait for long must not keep others from going on. */
  const resumeIfRoom = (partition: number): void => {
    const assigned = assignedPartitions.get(partition);
    if (assigned?.waitsFor !== "room" || heldBy(partition) >= shareBytes() * RESUME_BELOW) return;
    assigned.waitsFor = null;
    reading.readOn(partition);
  };

  const take = (record: Incoming, assigned: AssignedPartition, watermark: Watermark): true | "later" => {
    const { topic, partition, offset, timestampMs } = record;
    // Without a heartbeat for so long, another replica may be handling these records.
    if (clock.monotonic() - group.lastHeartbeat() >= options.sessionTimeoutMs) return "later";
    if (heldBy(partition) >= shareBytes()) {
      assigned.waitsFor = "room";
      reading.drop(partition);
      return "later";
    }
    const copy = ownCopy(record);
    const bytes = recordBytes(copy);
    watermark.begin(offset, timestampMs);
    const addHeld = (added: number): void => void heldBytes.set(partition, heldBy(partition) + added);
    addHeld(bytes);
    tasks.submit(copy.key?.toString("latin1") ?? null, async (slot) => {
      addHeld(UNDER_WAY_BYTES);
      await handleUntilDone(assigned, slot, {
        handle: async (signal) => {
          await handle(copy, { slot, signal });
          watermark.finish(offset);
        },
        failed: (error) => {
          log.error({ topic, partition, offset, reason: messageOf(error) }, "command.stuck");
          return clock.sleep(AGAIN_AFTER_MS, assigned.lost.signal);
        },
      });
      addHeld(-bytes - UNDER_WAY_BYTES);
      resumeIfRoom(partition);
    });
    return true;
  };

  const commit = async (): Promise<void> => {
    const note = options.note ? options.note() : "";
    if (note === null) return;
    const nowMs = clock.monotonic();
    const isAll = nowMs - allCommittedAt >= COMMIT_ALL_EVERY_MS;
    const due = new Map<number, Committed & { watermark: Watermark }>();
    for (const [partition, { watermark }] of assignedPartitions) {
      // Where no record was ever read, there is nothing to commit but the note.
      if (!watermark || (!watermark.mark && note === "")) continue;
      const offset = watermark.committable();
      if (offset <= watermark.committed && !isAll) continue;
      const metadata = `${reading.noteOf(partition, watermark.mark)} ${note}`.trim();
      due.set(partition, { offset, note: metadata, watermark });
    }
    if (due.size === 0) return;
    await group.commit(due);
    if (isAll) allCommittedAt = nowMs;
    for (const { watermark, offset } of due.values()) watermark.committed = offset;
    await options.committed?.();
  };

  const reading = readAssigned(options, assignedPartitions, take, deps);
  const group = joinGroup(options, onAssigned, deps);
  const committing = new AbortController();
  const committed = keepCommitting(commit, { clock, log, signal: committing.signal });
  const { lag, share } = watchLag(options.topic, assignedPartitions, { ...deps, signal: committing.signal });

  return {
    lastHeartbeat: group.lastHeartbeat,
    health: (): Health => {
      const member = group.health();
      return member.kind === "up" ? reading.health() : member;
    },
    isMember: (): boolean => group.health().kind === "up",
    assignment: (): readonly number[] => [...assignedPartitions.keys()].sort((a, b) => a - b),
    unfinished: (): number => tasks.unfinished,
    inFlight: (): number => tasks.running,
    lag,
    share,
    /** While suspended, it stays in its group and reads on, but starts no record, and the signals of others abort. */
    suspend: (isSuspended: boolean): void => {
      if (stopping) return;
      for (const assigned of assignedPartitions.values()) suspendPartition(assigned, isSuspended);
      tasks.suspend(isSuspended);
    },
    /** Starts no more records, waits for those under way for at most `drainMs`, commits, and leaves the group. */
    stop: async (drainMs: number): Promise<void> => {
      stopping = true;
      reading.stop();
      for (const assigned of assignedPartitions.values())
        endAssignment(assigned, new Error("the process stops"));
      // Records that were never started end at once: their assignment has ended.
      tasks.suspend(false);
      const until = clock.monotonic() + drainMs;
      while (tasks.unfinished > 0 && clock.monotonic() < until) await clock.sleep(20);
      committing.abort();
      await committed;
      await group.stop();
    },
  };
};
