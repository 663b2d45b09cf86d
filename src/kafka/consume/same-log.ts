import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import type { Log } from "../../runtime/log.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { readMark, writeMark, type Mark } from "../mark.ts";
import type { GroupReader } from "./group-reader.ts";
import { continuityOf, readFrom, type AssignedPartition } from "./assigned-partition.ts";
import { Watermark } from "./watermark.ts";

/** Makes sure that reading goes on where it stopped, in the same log. */
export type SameLog = {
  /** Asks for the group's committed offsets, and starts reading there. */
  begin: (gained: ReadonlyMap<number, AssignedPartition>) => Promise<void>;
  /** The watermark that counts this fetch, given its first record; null if the fetch must be ignored. */
  follow: (partition: number, assigned: AssignedPartition, first: Mark) => Watermark | null;
  /** Goes on reading after a pause or a failure, if the last record is still there. */
  readOn: (partition: number, assigned: AssignedPartition) => void;
};

export type ClusterQuestions = Pick<Cluster, "committed" | "ranges" | "close">;

type Options = { topic: string; groupId: string };
type Deps = {
  clock: Pick<Clock, "sleep">;
  log: Pick<Log, "warn" | "error">;
  connectCluster: () => Promise<ClusterQuestions>;
  reader: () => Pick<GroupReader, "pause" | "resume">;
  isHeld: (partition: number, assigned: AssignedPartition) => boolean;
};

const ASK_AGAIN_MS = 1_000;
/**
 * A log does not get shorter. A broker that was frozen may report an old end for a moment; after this many checks it
 * is another log.
 */
const LOOKS = 4;
const LOOK_EVERY_MS = 500;
const STARTS_MS = 1_000;

/** Marks this entry in the commit's metadata, which others use as well. */
const LABEL = "read:";

export const noteOf = (mark: Mark | null): string => (mark ? LABEL + writeMark(mark) : "");

const markIn = (note: string): Mark | null => {
  const entry = note.split(" ").find((text) => text.startsWith(LABEL));
  return entry === undefined ? null : readMark(entry.slice(LABEL.length));
};

/**
 * If the log does not hold the offset to read, kafkajs silently starts at the log's beginning: after the topic was
 * recreated, after its end was cut off, or after retention deleted its beginning. A recreated log that is long enough
 * already is even read on from its middle. So wherever reading starts or goes on, the last record is read once more. If
 * another record is there, or none for some seconds, it is another log: that is read from its first record, and the
 * handler recognises what was done before.
 */
export const watchForSameLog = ({ topic, groupId }: Options, deps: Deps): SameLog => {
  const { clock, log, isHeld, reader } = deps;

  /** Questions are rare: each opens its own connection. */
  const ask = async <T>(question: (cluster: ClusterQuestions) => Promise<T>): Promise<T> => {
    const cluster = await deps.connectCluster();
    try {
      return await question(cluster);
    } finally {
      void cluster.close();
    }
  };

  /** Null if the answer is no longer wanted. */
  const untilAnswered = async <T>(
    question: (cluster: ClusterQuestions) => Promise<T>,
    isWanted: () => boolean,
  ): Promise<T | null> => {
    for (let told = false; isWanted(); told = true) {
      try {
        return await ask(question);
      } catch (error) {
        if (!told) log.warn({ topic, reason: messageOf(error) }, "kafka.place.unknown");
        await clock.sleep(ASK_AGAIN_MS);
      }
    }
    return null;
  };

  const readOn = (partition: number, assigned: AssignedPartition): void => {
    assigned.pausedFor = null;
    assigned.isSettled = false;
    reader().resume(partition, readFrom(assigned));
  };

  const beginAnew = (partition: number, assigned: AssignedPartition, replacedAt: number): void => {
    Object.assign(assigned, { watermark: null, committed: -1, looks: 0, replacedAt });
    readOn(partition, assigned);
  };

  const lookAgain = async (partition: number, assigned: AssignedPartition): Promise<void> => {
    assigned.pausedFor = "look";
    reader().pause(partition);
    await clock.sleep(LOOK_EVERY_MS, assigned.lost.signal).catch(() => undefined);
    if (isHeld(partition, assigned)) readOn(partition, assigned);
  };

  const lost = (partition: number, oldOffset: number, newOffset: number): void =>
    log.error({ topic, partition, oldOffset, newOffset }, "commands.lost");

  /** The first offset of each partition; nothing if that takes long: reading must not wait for a frozen broker. */
  const startsOf = async (cluster: ClusterQuestions): Promise<ReadonlyMap<number, number>> => {
    const ranges = await Promise.race([
      cluster.ranges(topic).catch(() => null),
      clock.sleep(STARTS_MS).then(() => null),
    ]);
    return new Map([...(ranges ?? [])].map(([partition, { startOffset }]) => [partition, startOffset]));
  };

  /**
   * Partitions whose gap is being explained. Aborted transactions leave many gaps; one question at a time is enough.
   */
  const explaining = new Set<number>();

  /** @param missing the record that should have been read once more */
  const explainGap = async (
    partition: number,
    assigned: AssignedPartition,
    { next, first, missing }: { next: number; first: Mark; missing: Mark | null },
  ): Promise<void> => {
    if (explaining.has(partition)) return;
    explaining.add(partition);
    const isWanted = (): boolean => isHeld(partition, assigned);
    const ranges = await untilAnswered((cluster) => cluster.ranges(topic), isWanted);
    explaining.delete(partition);
    const start = ranges?.get(partition)?.startOffset;
    if (start === undefined || !isWanted()) return;
    if (start > next) lost(partition, next, first.offset);
    else if (missing && missing.offset >= start) beginAnew(partition, assigned, next);
  };

  const follow = (partition: number, assigned: AssignedPartition, first: Mark): Watermark | null => {
    const { watermark, isSettled, replacedAt } = assigned;
    assigned.isSettled = true;
    if (watermark === null) {
      if (replacedAt !== null)
        log.error(
          { topic, partition, oldOffset: replacedAt, newOffset: first.offset },
          "commands.topic.replaced",
        );
      assigned.replacedAt = null;
      return (assigned.watermark = new Watermark(first.offset));
    }
    const { next, last } = watermark;
    switch (continuityOf({ watermark, isSettled }, first)) {
      case "leaves a gap":
        void explainGap(partition, assigned, { next, first, missing: isSettled ? null : last });
        break;
      case "follows":
        break;
      case "belongs to another log":
        beginAnew(partition, assigned, next);
        return null;
      case "starts over":
        // kafkajs has overwritten the committed offset: commit it again.
        assigned.committed = -1;
        assigned.looks += 1;
        if (assigned.looks < LOOKS) void lookAgain(partition, assigned);
        else beginAnew(partition, assigned, next);
        return null;
    }
    assigned.looks = 0;
    return watermark;
  };

  return {
    readOn,
    follow,
    begin: async (gained) => {
      const isWanted = (): boolean =>
        [...gained].some(([partition, assigned]) => isHeld(partition, assigned));
      const places = await untilAnswered(
        (cluster) => Promise.all([cluster.committed(groupId, topic), startsOf(cluster)]),
        isWanted,
      );
      if (!places) return;
      const [committed, starts] = places;
      for (const [partition, assigned] of gained) {
        if (!isHeld(partition, assigned)) continue;
        const place = committed.get(partition);
        const start = starts.get(partition) ?? 0;
        if (place) {
          const isLost = place.offset < start;
          // Said now: it may take days until the next command comes there.
          if (isLost) lost(partition, place.offset, start);
          assigned.watermark = isLost
            ? new Watermark(start)
            : new Watermark(place.offset, markIn(place.note));
          assigned.committed = place.offset;
        }
        readOn(partition, assigned);
      }
    },
  };
};
