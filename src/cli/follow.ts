import type { Services } from "../services/services.ts";
import { noSuchTopic } from "../services/with-cluster.ts";
import type { Incoming } from "../kafka/record.ts";
import { startTail } from "../kafka/consume/tail.ts";

export type FollowOptions = { topic: string; fromBeginning: boolean };

/**
 * Follows a topic from now on, or from its beginning. Resolves once the starting point is fixed: no later record is missed.
 * Throws a UsageError when there is no such topic.
 */
export const follow = async (
  services: Services,
  { topic, fromBeginning }: FollowOptions,
  onRecord: (record: Incoming) => void,
): Promise<{ stop: () => Promise<void> }> => {
  const cluster = await services.connectCluster();
  if (!(await cluster.find([topic])).has(topic)) {
    await cluster.close();
    throw noSuchTopic(topic);
  }
  const ranges = await cluster.ranges(topic);
  /** Where each partition is read on, also where reading starts over. */
  const next = new Map(
    [...ranges].map(([partition, { startOffset, endOffset }]) => [
      partition,
      fromBeginning ? startOffset : endOffset,
    ]),
  );
  const tail = startTail(
    { topic },
    {
      begin: (found) =>
        new Map(
          [...found].map(([partition, { startOffset, endOffset }]) => [
            partition,
            { startOffset: Math.max(startOffset, next.get(partition) ?? 0), endOffset },
          ]),
        ),
      take: (record) => {
        next.set(record.partition, record.offset + 1);
        onRecord(record);
        return true;
      },
    },
    { ...services, ranges: () => Promise.resolve(ranges) },
  );
  return {
    stop: async () => {
      await tail.stop();
      await cluster.close();
    },
  };
};
