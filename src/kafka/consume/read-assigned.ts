import { messageOf } from "../../runtime/errors.ts";
import type { Health } from "../../runtime/health.ts";
import type { Log } from "../../runtime/log.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { readMark, writeMark, type Committed, type Mark } from "../mark.ts";
import type { Incoming } from "../record.ts";
import type { AssignedPartition } from "./assigned-partition.ts";
import type { PlaceLost } from "./place.ts";
import type { Lasts } from "./places.ts";
import { readLog, type LogDeps, type LogReading } from "./read-log.ts";
import { missingText, type Range, type Ranges } from "../ranges.ts";
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
  deliver: Take,
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
    for (let isWarned = false; isWanted(); isWarned = true) {
      try {
        const cluster = await deps.connectCluster();
        return await question(cluster).finally(() => void cluster.close());
      } catch (error) {
        if (!isWarned) log.warn({ topic, reason: messageOf(error) }, "kafka.place.unknown");
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

  const take = (record: Incoming): boolean | "later" => {
    const assigned = assignedPartitions.get(record.partition);
    if (!assigned?.watermark || assigned.waitsFor === "place") return false;
    assigned.watermark.pass(record.offset);
    return deliver(record, assigned, assigned.watermark);
  };
  const reached = (partition: number, next: number): void =>
    assignedPartitions.get(partition)?.watermark?.pass(next);
  const lost = ({ partition }: PlaceLost): void => void findPlace(partition);

  /** Where reading goes on, in the partitions of which that is known. */
  const placesOf = (partitions: ReadonlyMap<number, AssignedPartition>): { ranges: Ranges; lasts: Lasts } => {
    const ranges = new Map<number, Range>();
    const lasts = new Map<number, Mark | null>();
    for (const [partition, assigned] of partitions) {
      const { watermark, waitsFor } = assigned;
      if (!watermark || waitsFor === "place" || !isHeld(partition, assigned)) continue;
      ranges.set(partition, { startOffset: watermark.next, endOffset: Infinity });
      lasts.set(partition, watermark.last);
    }
    return { ranges, lasts };
  };
  const readAnew = (): void => {
    stop();
    const { signal } = (round = new AbortController());
    const options = { topic, ...placesOf(assignedPartitions), toEnd: false, maxBytesPerPartition };
    reading = readLog(options, { take, reached, lost }, deps, signal);
    refocus();
    reading.ended.catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  };

  /** Goes on elsewhere in a partition whose log does not hold the place any more, or is another one. */
  const move = (
    partition: number,
    assigned: AssignedPartition,
    { next, last }: Watermark,
    { startOffset }: Range,
  ): void => {
    const place = { topic, partition, oldOffset: next, newOffset: startOffset };
    if (startOffset > next) {
      // Said now: it may take days until the next command comes there.
      if (next > 0 || last) log.error(place, "commands.lost");
      assigned.watermark?.pass(startOffset);
    } else {
      if (next > startOffset) log.error(place, "commands.topic.replaced");
      Object.assign(assigned, { watermark: new Watermark(startOffset), committed: -1 });
    }
  };

  /** Meanwhile the other partitions are read. */
  const findPlace = async (partition: number): Promise<void> => {
    const assigned = assignedPartitions.get(partition);
    if (!assigned) return;
    assigned.waitsFor = "place";
    const isWanted = (): boolean => isHeld(partition, assigned);
    const answer = await untilAnswered(async (cluster) => {
      const { ranges, missing } = await cluster.ranges(topic);
      if (missing.has(partition)) throw new Error(missingText(topic, new Set([partition])));
      return ranges;
    }, isWanted);
    if (!answer || !isWanted()) return;
    const range = answer.get(partition);
    if (range && assigned.watermark) move(partition, assigned, assigned.watermark, range);
    assigned.waitsFor = null;
    const { ranges, lasts } = placesOf(new Map([[partition, assigned]]));
    reading?.add(ranges, lasts);
    refocus();
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
