import { messageOf } from "../../runtime/errors.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { readMark, writeMark, type Committed, type Mark } from "../mark.ts";
import { missingText } from "../ranges.ts";
import type { Incoming } from "../record.ts";
import type { AssignedPartition } from "./assigned-partition.ts";
import { readLog, type LogDeps } from "./read-log.ts";
import { Watermark } from "./watermark.ts";

export type ClusterQuestions = Pick<Cluster, "committed" | "ranges" | "close">;

export type ReadOptions = {
  topic: string;
  groupId: string;
  /** Called with the group's notes before partitions are taken over, whose notes will be replaced. */
  compareNotes?: ((notes: readonly string[]) => void) | undefined;
};
type Take = (record: Incoming, assigned: AssignedPartition, watermark: Watermark) => boolean | "later";

const MAX_BYTES_PER_PARTITION = 262_144;
const ASK_AGAIN_MS = 1_000;

/** The labels of these entries in the commit's metadata, which holds entries of others too. */
const READ = "read:";
const UNREADABLE = "unreadable:";

const entryIn = (note: string, label: string): string | null =>
  note
    .split(" ")
    .find((text) => text.startsWith(label))
    ?.slice(label.length) ?? null;

export const unreadableIn = ({ offset, note }: Committed): number | null => {
  const entry = entryIn(note, UNREADABLE);
  return entry === null || Number(entry) < offset ? null : Number(entry);
};

/**
 * Reads the assigned partitions on from their commits, the last record once more: a topic may have been created anew or
 * cut off. Another log is read from its first record, and the handler recognises what was done before.
 */
export const readAssigned = (
  { topic, groupId, compareNotes }: ReadOptions,
  assignedPartitions: ReadonlyMap<number, AssignedPartition>,
  deliver: Take,
  deps: LogDeps & { connectCluster: () => Promise<ClusterQuestions> },
) => {
  const { clock, log } = deps;
  const stopped = new AbortController();
  const isStillAssigned = ({ lost }: AssignedPartition): boolean => !lost.signal.aborted;

  const take = (record: Incoming): boolean | "later" => {
    const assigned = assignedPartitions.get(record.partition);
    if (!assigned?.watermark) return false;
    assigned.watermark.pass(record.offset);
    return deliver(record, assigned, assigned.watermark);
  };
  const reached = (partition: number, next: number): void =>
    assignedPartitions.get(partition)?.watermark?.pass(next);
  const lost = (partition: number): void => void findPlace(partition);
  const options = { topic, maxBytesPerPartition: MAX_BYTES_PER_PARTITION };
  const reading = readLog(options, { take, reached, lost }, deps, stopped.signal);
  reading.ended.catch((error: unknown) => {
    if (!stopped.signal.aborted) throw error;
  });

  const readOn = (partition: number): void => {
    const { watermark = null, waitsFor = null } = assignedPartitions.get(partition) ?? {};
    if (!watermark || waitsFor !== null) return;
    const { next, last } = watermark;
    reading.add(new Map([[partition, { startOffset: next, endOffset: Infinity, last }]]));
  };

  /** Returns null if the partitions are not assigned any more. Questions are rare: each opens its own connection. */
  const untilAnswered = async <T>(
    partitions: readonly AssignedPartition[],
    question: (cluster: ClusterQuestions) => Promise<T>,
  ): Promise<T | null> => {
    for (let isWarned = false; partitions.some(isStillAssigned); isWarned = true) {
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

  /** Goes on elsewhere when the log does not hold the place any more. Meanwhile the other partitions are read. */
  const findPlace = async (partition: number): Promise<void> => {
    const assigned = assignedPartitions.get(partition);
    const { watermark } = assigned ?? {};
    if (!assigned || !watermark) return;
    assigned.waitsFor = "place";
    const range = await untilAnswered([assigned], async (cluster) => {
      const answer = (await cluster.ranges(topic)).ranges.get(partition);
      if (!answer) throw new Error(missingText(topic, new Set([partition])));
      return answer;
    });
    if (!range || !isStillAssigned(assigned)) return;
    const { next, last } = watermark;
    const place = { topic, partition, oldOffset: next, newOffset: range.startOffset };
    if (range.startOffset > next) {
      // Logged now, because days may pass until the next command comes to this partition.
      if (next > 0 || last) log.error(place, "commands.lost");
      watermark.pass(range.startOffset);
    } else {
      if (next > range.startOffset) log.error(place, "commands.topic.replaced");
      assigned.watermark = new Watermark(range.startOffset);
    }
    assigned.waitsFor = null;
    readOn(partition);
  };

  const begin = async (gained: ReadonlyMap<number, AssignedPartition>): Promise<void> => {
    const commits = await untilAnswered([...gained.values()], ({ committed }) => committed(groupId, topic));
    if (!commits) return;
    compareNotes?.([...commits.values()].map(({ note }) => note));
    for (const [partition, assigned] of gained) {
      const { offset, note } = commits.get(partition) ?? { offset: -1, note: "" };
      assigned.watermark = new Watermark(Math.max(0, offset), readMark(entryIn(note, READ) ?? ""), offset);
      assigned.waitsFor = null;
      if (isStillAssigned(assigned)) readOn(partition);
    }
  };

  return {
    begin,
    readOn,
    drop: reading.drop,
    health: reading.health,
    noteOf: (partition: number, mark: Mark | null): string => {
      const trouble = reading.troubles().find((each) => each.partition === partition);
      const unreadable = trouble?.kind === "unreadableBatch" ? [`${UNREADABLE}${trouble.offset}`] : [];
      return [...(mark ? [READ + writeMark(mark)] : []), ...unreadable].join(" ");
    },
    stop: (): void => stopped.abort(new Error("the process stops")),
  };
};
