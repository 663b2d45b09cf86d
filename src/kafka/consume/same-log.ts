import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import type { Log } from "../../runtime/log.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { readMark, writeMark, type Mark } from "../mark.ts";
import type { Reader } from "./reader.ts";
import {
  continuityOf as arrivalOf,
  readFrom,
  type AssignedPartition as Tenure,
} from "./assigned-partition.ts";
import { Watermark } from "./watermark.ts";

/** Sees to it that each partition is read on where it was left, in the log that it was left in. */
export type SameLog = {
  /** Asks where the group is, and begins to read there. */
  begin: (gained: ReadonlyMap<number, Tenure>) => Promise<void>;
  /** Where this record, the first one of a fetch, is to be counted; null where nothing of the fetch is to be taken. */
  follow: (partition: number, tenure: Tenure, first: Mark) => Watermark | null;
  /** Reads on, after a pause or a failure, if the last record is still there. */
  readOn: (partition: number, tenure: Tenure) => void;
};

export type ClusterQuestions = Pick<Cluster, "committed" | "ranges" | "close">;

type Options = { topic: string; groupId: string };
type Deps = {
  clock: Pick<Clock, "sleep">;
  log: Pick<Log, "warn" | "error">;
  connectCluster: () => Promise<ClusterQuestions>;
  reader: () => Pick<Reader, "pause" | "resume">;
  isHeld: (partition: number, tenure: Tenure) => boolean;
};

const ASK_AGAIN_MS = 1_000;
/** A log does not get shorter. A broker that was just woken may say so for an instant; for so many looks only another log can. */
const LOOKS = 4;
const LOOK_EVERY_MS = 500;

/** Begins what a commit keeps of its partition, among what others keep there. */
const LABEL = "read:";

export const noteOf = (mark: Mark | null): string => (mark ? LABEL + writeMark(mark) : "");

const markIn = (note: string): Mark | null => {
  const entry = note.split(" ").find((text) => text.startsWith(LABEL));
  return entry === undefined ? null : readMark(entry.slice(LABEL.length));
};

/**
 * kafkajs begins at a log's beginning, and tells nobody, whenever the log does not hold the offset that it is to read: because the topic was
 * deleted and created again, because its end is gone, or because its beginning is. And a new log that has grown as long as the old one was
 * is read on in its middle. So the last record that was read is read once more wherever reading (re)begins; another one in its place, or
 * none at all for some seconds, is another log, and that is read from its first record. What was done before is recognised by the handler.
 */
export const watchForSameLog = ({ topic, groupId }: Options, deps: Deps): SameLog => {
  const { clock, log, isHeld, reader } = deps;

  /** Questions are few: each has a connection of its own. */
  const ask = async <T>(question: (cluster: ClusterQuestions) => Promise<T>): Promise<T> => {
    const cluster = await deps.connectCluster();
    try {
      return await question(cluster);
    } finally {
      void cluster.close();
    }
  };

  /** Null when the answer came to matter no more. */
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

  const readOn = (partition: number, tenure: Tenure): void => {
    tenure.pausedFor = null;
    tenure.isSettled = false;
    reader().resume(partition, readFrom(tenure));
  };

  const beginAnew = (partition: number, tenure: Tenure, replacedAt: number): void => {
    Object.assign(tenure, { watermark: null, committed: -1, looks: 0, replacedAt });
    readOn(partition, tenure);
  };

  const lookAgain = async (partition: number, tenure: Tenure): Promise<void> => {
    tenure.pausedFor = "look";
    reader().pause(partition);
    await clock.sleep(LOOK_EVERY_MS, tenure.lost.signal).catch(() => undefined);
    if (isHeld(partition, tenure)) readOn(partition, tenure);
  };

  /** Of which partitions it is being asked: where transactions are aborted gaps come in numbers, and one question at a time will do. */
  const explaining = new Set<number>();

  /** @param missing the record that was to be read once more */
  const explainGap = async (
    partition: number,
    tenure: Tenure,
    { next, first, missing }: { next: number; first: Mark; missing: Mark | null },
  ): Promise<void> => {
    if (explaining.has(partition)) return;
    explaining.add(partition);
    const isWanted = (): boolean => isHeld(partition, tenure);
    const ranges = await untilAnswered((cluster) => cluster.ranges(topic), isWanted);
    explaining.delete(partition);
    const start = ranges?.get(partition)?.startOffset;
    if (start === undefined || !isWanted()) return;
    if (start > next)
      log.error({ topic, partition, oldOffset: next, newOffset: first.offset }, "commands.lost");
    else if (missing && missing.offset >= start) beginAnew(partition, tenure, next);
  };

  const follow = (partition: number, tenure: Tenure, first: Mark): Watermark | null => {
    const { watermark, isSettled, replacedAt } = tenure;
    tenure.isSettled = true;
    if (watermark === null) {
      if (replacedAt !== null)
        log.error(
          { topic, partition, oldOffset: replacedAt, newOffset: first.offset },
          "commands.topic.replaced",
        );
      tenure.replacedAt = null;
      return (tenure.watermark = new Watermark(first.offset));
    }
    const { next, last } = watermark;
    switch (arrivalOf({ watermark, isSettled }, first)) {
      case "leaves a gap":
        void explainGap(partition, tenure, { next, first, missing: isSettled ? null : last });
        break;
      case "follows":
        break;
      case "belongs to another log":
        beginAnew(partition, tenure, next);
        return null;
      case "starts over":
        // kafkajs has effaced what was committed: it is committed again.
        tenure.committed = -1;
        tenure.looks += 1;
        if (tenure.looks < LOOKS) void lookAgain(partition, tenure);
        else beginAnew(partition, tenure, next);
        return null;
    }
    tenure.looks = 0;
    return watermark;
  };

  return {
    readOn,
    follow,
    begin: async (gained) => {
      const isWanted = (): boolean => [...gained].some(([partition, tenure]) => isHeld(partition, tenure));
      const committed = await untilAnswered((cluster) => cluster.committed(groupId, topic), isWanted);
      for (const [partition, tenure] of gained) {
        if (!committed || !isHeld(partition, tenure)) continue;
        const place = committed.get(partition);
        if (place) {
          tenure.watermark = new Watermark(place.offset, markIn(place.note));
          tenure.committed = place.offset;
        }
        readOn(partition, tenure);
      }
    },
  };
};
