import { messageOf } from "../../runtime/errors.ts";
import type { Health } from "../../runtime/health.ts";
import type { Log } from "../../runtime/log.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { readMark, writeMark, type Committed, type Mark } from "../mark.ts";
import type { Incoming } from "../record.ts";
import type { AssignedPartition } from "./assigned-partition.ts";
import { PlaceLost } from "./place.ts";
import { readLog, type LogDeps, type LogReading } from "./read-log.ts";
import { missingText, type Range } from "../ranges.ts";
import { Watermark } from "./watermark.ts";

export type ClusterQuestions = Pick<Cluster, "committed" | "ranges" | "close">;

type Options = {
  topic: string;
  groupId: string;
  maxBytesPerPartition: number;
  compareNotes?: ((notes: readonly string[]) => void) | undefined;
};
type Deps = LogDeps & { log: Log; connectCluster: () => Promise<ClusterQuestions> };

/** Takes a record; `later` if there is no room for it. */
type Take = (record: Incoming, assigned: AssignedPartition, watermark: Watermark) => boolean | "later";

const ASK_AGAIN_MS = 1_000;

/** They mark these entries in the commit's metadata, which others use as well. */
const READ = "read:";
const UNREADABLE = "unreadable:";

const entryIn = (note: string, label: string): string | null =>
  note
    .split(" ")
    .find((text) => text.startsWith(label))
    ?.slice(label.length) ?? null;

const markIn = (note: string): Mark | null => readMark(entryIn(note, READ) ?? "");

/** The offset of the unreadable batch that a partition stands at, as its commit says; null for none. */
export const unreadableIn = ({ offset, note }: Committed): number | null => {
  const entry = entryIn(note, UNREADABLE);
  return entry === null || Number(entry) < offset ? null : Number(entry);
};

/**
 * Reads the assigned partitions on from where the group stopped. Wherever that begins or goes on, the last record is
 * read once more: a topic may have been created anew, its end cut off, or its beginning deleted by retention. Another
 * log is read from its first record, and the handler recognises what was done before.
 */
export const readAssigned = (
  { topic, groupId, maxBytesPerPartition, compareNotes }: Options,
  assignedPartitions: ReadonlyMap<number, AssignedPartition>,
  take: Take,
  deps: Deps,
) => {
  const { clock, log } = deps;
  let round = new AbortController();
  let reading: LogReading | null = null;

  const isHeld = (partition: number, assigned: AssignedPartition): boolean =>
    assignedPartitions.get(partition) === assigned && !assigned.lost.signal.aborted;

  /** Null if the answer is no longer wanted. Questions are rare: each opens its own connection. */
  const untilAnswered = async <T>(
    question: (cluster: ClusterQuestions) => Promise<T>,
    isWanted: () => boolean,
  ): Promise<T | null> => {
    for (let told = false; isWanted(); told = true) {
      try {
        const cluster = await deps.connectCluster();
        return await question(cluster).finally(() => void cluster.close());
      } catch (error) {
        if (!told) log.warn({ topic, reason: messageOf(error) }, "kafka.place.unknown");
        await clock.sleep(ASK_AGAIN_MS);
      }
    }
    return null;
  };

  /** To be called when a partition has room, or has none any more. */
  const refocus = (): void => {
    const positions = new Map<number, number>();
    for (const [partition, { watermark, waitsFor }] of assignedPartitions)
      if (watermark && waitsFor === null) positions.set(partition, watermark.next);
    reading?.focus(positions);
  };

  const stop = (): void => {
    round.abort(new Error("it is read anew"));
    reading = null;
  };

  const readAnew = (): void => {
    stop();
    const ranges = new Map<number, Range>();
    const lasts = new Map<number, Mark | null>();
    const gone = new Set<number>();
    const assignedOf = new Map<number, { assigned: AssignedPartition; watermark: Watermark }>();
    for (const [partition, assigned] of assignedPartitions) {
      const { watermark, waitsFor, isLastGone } = assigned;
      if (!watermark || waitsFor === "place" || !isHeld(partition, assigned)) continue;
      ranges.set(partition, { startOffset: watermark.next, endOffset: Infinity });
      lasts.set(partition, watermark.last);
      if (isLastGone) gone.add(partition);
      assignedOf.set(partition, { assigned, watermark });
    }
    if (ranges.size === 0) return;
    const { signal } = (round = new AbortController());
    const hooks = {
      take: (record: Incoming) => {
        const read = assignedOf.get(record.partition);
        if (!read) return false;
        read.watermark.pass(record.offset);
        return take(record, read.assigned, read.watermark);
      },
      reached: (partition: number, next: number) => assignedOf.get(partition)?.watermark.pass(next),
    };
    const from = { topic, ranges, lasts, gone, toEnd: false, maxBytesPerPartition };
    reading = readLog(from, hooks, deps, signal);
    refocus();
    reading.ended.catch((error: unknown) => {
      if (signal.aborted) return;
      if (!(error instanceof PlaceLost)) throw error;
      void findPlace(error.partition);
    });
  };

  /** Goes on elsewhere in a partition whose log does not hold the place any more, or is another one. */
  const move = (
    partition: number,
    assigned: AssignedPartition,
    { next, last }: Watermark,
    { startOffset, endOffset }: Range,
  ): void => {
    const place = { topic, partition, oldOffset: next, newOffset: startOffset };
    if (startOffset > next) {
      // Said now: it may take days until the next command comes there.
      if (next > 0 || last) log.error(place, "commands.lost");
      assigned.watermark?.pass(startOffset);
      assigned.isLastGone = true;
    } else if (last && last.offset < startOffset && endOffset >= next) assigned.isLastGone = true;
    else {
      if (next > startOffset) log.error(place, "commands.topic.replaced");
      Object.assign(assigned, { watermark: new Watermark(startOffset), committed: -1, isLastGone: false });
    }
  };

  /** Meanwhile the other partitions are read. */
  const findPlace = async (lost: number): Promise<void> => {
    const seeking = assignedPartitions.get(lost);
    if (!seeking) return;
    seeking.waitsFor = "place";
    readAnew();
    const isWanted = (): boolean => isHeld(lost, seeking);
    const ranges = await untilAnswered(async (cluster) => {
      const found = await cluster.ranges(topic);
      if (found.missing.has(lost)) throw new Error(missingText(topic, new Set([lost])));
      return found.ranges;
    }, isWanted);
    if (!ranges || !isWanted()) return;
    // Retention has mostly deleted the last record of others, too: each would be looked for as long.
    for (const [partition, { startOffset }] of ranges) {
      const assigned = assignedPartitions.get(partition);
      const { last, next = 0 } = assigned?.watermark ?? {};
      if (assigned && last && last.offset < startOffset && startOffset <= next) assigned.isLastGone = true;
    }
    const range = ranges.get(lost);
    // Only this one: the others are read on meanwhile, and the answer may be older than their places.
    if (range && seeking.watermark) move(lost, seeking, seeking.watermark, range);
    seeking.waitsFor = null;
    readAnew();
  };

  const askCommitted = async (gained: ReadonlyMap<number, AssignedPartition>): Promise<void> => {
    const isWanted = (): boolean => [...gained].some(([partition, assigned]) => isHeld(partition, assigned));
    const committed = await untilAnswered((cluster) => cluster.committed(groupId, topic), isWanted);
    if (!committed) return;
    compareNotes?.([...committed.values()].map(({ note }) => note));
    for (const [partition, assigned] of gained) {
      const { offset, note } = committed.get(partition) ?? { offset: 0, note: "" };
      assigned.watermark = new Watermark(offset, markIn(note));
      assigned.waitsFor = null;
      if (committed.has(partition)) assigned.committed = offset;
    }
    readAnew();
  };

  return {
    /** To be called after a rebalance: reads the partitions that are assigned now, gained ones from their commits. */
    begin: (gained: ReadonlyMap<number, AssignedPartition>): void => {
      readAnew();
      if (gained.size > 0) void askCommitted(gained);
    },
    refocus,
    health: (): Health => reading?.health() ?? { kind: "up" },
    /** How far a partition was read, and where it stands, for the metadata of its commit. */
    noteOf: (partition: number, mark: Mark | null): string => {
      const trouble = reading?.troubles().find((each) => each.partition === partition);
      const stands = trouble?.kind === "unreadableBatch" ? [`${UNREADABLE}${trouble.offset}`] : [];
      return [...(mark ? [READ + writeMark(mark)] : []), ...stands].join(" ");
    },
    stop,
  };
};
