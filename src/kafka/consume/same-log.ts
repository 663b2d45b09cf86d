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

/** Makes sure that reading goes on where it stopped, in the same log. */
export type SameLog = {
  /** Asks for the group's committed offsets, and starts reading there. */
  begin: (gained: ReadonlyMap<number, Tenure>) => Promise<void>;
  /** The watermark that counts this fetch, given its first record; null if the fetch must be ignored. */
  follow: (partition: number, tenure: Tenure, first: Mark) => Watermark | null;
  /** Goes on reading after a pause or a failure, if the last record is still there. */
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
/** A log does not get shorter. A broker that was frozen may report an old end for a moment; after this many checks it is another log. */
const LOOKS = 4;
const LOOK_EVERY_MS = 500;

/** Marks this entry in the commit's metadata, which others use as well. */
const LABEL = "read:";

export const noteOf = (mark: Mark | null): string => (mark ? LABEL + writeMark(mark) : "");

const markIn = (note: string): Mark | null => {
  const entry = note.split(" ").find((text) => text.startsWith(LABEL));
  return entry === undefined ? null : readMark(entry.slice(LABEL.length));
};

/**
 * If the log does not hold the offset to read, kafkajs silently starts at the log's beginning: after the topic was recreated, after its
 * end was cut off, or after retention deleted its beginning. A recreated log that is long enough already is even read on from its middle.
 * So wherever reading starts or goes on, the last record is read once more. If another record is there, or none for some seconds, it is
 * another log: that is read from its first record, and the handler recognises what was done before.
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

  /** Partitions whose gap is being explained. Aborted transactions leave many gaps; one question at a time is enough. */
  const explaining = new Set<number>();

  /** @param missing the record that should have been read once more */
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
        // kafkajs has overwritten the committed offset: commit it again.
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
