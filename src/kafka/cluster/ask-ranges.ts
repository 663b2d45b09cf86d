import type { Clock } from "../../runtime/clock.ts";
import type { InternalCluster } from "../kafkajs-fixes/internal-cluster.ts";
import type { TopicRanges } from "../ranges.ts";

/** Kafka's names for the two ends of a partition, where a request names an instant. */
export const EARLIEST_MS = -2;
export const LATEST_MS = -1;
const NO_LEADER = -1;
/** A leader that has not answered by then is left out. */
const ANSWER_MS = 3_000;

type Period = { sinceMs: number; untilMs: number };

/** Asks one leader. @throws if it does not answer for each of its partitions */
const askLeader = async (
  cluster: InternalCluster,
  topic: string,
  partitions: readonly number[],
  { sinceMs, untilMs }: Period,
) => {
  const requested = partitions.map((partition) => ({ partition }));
  /** The offsets of the first records that are not older; -1 where there is none. */
  const ask = async (fromTimestamp: number): Promise<ReadonlyMap<number, number>> => {
    const [answer] = await cluster.fetchTopicsOffset([{ topic, partitions: requested, fromTimestamp }]);
    return new Map(answer?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
  };
  const ends = await ask(LATEST_MS);
  const starts = await ask(sinceMs);
  const limits = untilMs === LATEST_MS ? ends : await ask(untilMs);
  return partitions.map((partition) => {
    const [end, start, limit] = [ends, starts, limits].map((offsets) => offsets.get(partition));
    if (end === undefined || start === undefined || limit === undefined)
      throw new Error(`no offset of partition ${partition} of ${topic} in the answer`);
    const startOffset = start < 0 ? end : start;
    return [partition, { startOffset, endOffset: Math.max(startOffset, limit < 0 ? end : limit) }] as const;
  });
};

/** Leaves out partitions whose leaders do not answer. `isFaulty`: the next question needs another connection. */
export const askRanges = async (
  cluster: InternalCluster,
  topic: string,
  period: Period,
  clock: Clock,
): Promise<TopicRanges & { isFaulty: boolean }> => {
  await cluster.connect();
  await cluster.addTargetTopic(topic);
  await cluster.refreshMetadata();
  const partitions = cluster.findTopicPartitionMetadata(topic);
  const byLeader = Map.groupBy(partitions, ({ leader }) => leader);
  byLeader.delete(NO_LEADER);
  const answers = await Promise.allSettled(
    [...byLeader.values()].map((ledPartitions) => {
      const ids = ledPartitions.map(({ partitionId }) => partitionId);
      return clock.within(ANSWER_MS, undefined, askLeader(cluster, topic, ids, period));
    }),
  );
  const failed = answers.find((answer) => answer.status === "rejected");
  if (failed && answers.every(({ status }) => status === "rejected")) throw failed.reason;
  const ranges = new Map(answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : [])));
  const missing = partitions.map(({ partitionId }) => partitionId).filter((id) => !ranges.has(id));
  return { ranges, missing: new Set(missing), isFaulty: failed !== undefined };
};
