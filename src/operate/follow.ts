import { noSuchTopic } from "../kafka/cluster/with-cluster.ts";
import { startTail } from "../kafka/consume/tail.ts";
import type { Range } from "../kafka/ranges.ts";
import type { Incoming } from "../kafka/record.ts";
import type { Tools } from "./tools.ts";

/**
 * Follows a topic from now on, or from its beginning. Resolves once the starting point is fixed: no later record is
 * missed. Reads on when a record was taken, so that what waits is bounded.
 * @param healed how a partition is read that has no leader at first, once it has one
 */
export const follow = async (
  tools: Tools,
  { topic, fromBeginning, healed }: { topic: string; fromBeginning: boolean; healed: "whole" | "fromItsEnd" },
  onRecord: (record: Incoming) => void | Promise<void>,
): Promise<{ stop: () => Promise<void> }> => {
  const cluster = await tools.connectCluster();
  if (!(await cluster.find([topic])).has(topic)) {
    await cluster.close();
    throw noSuchTopic(topic);
  }
  const { ranges, missing } = await cluster.ranges(topic);
  /** The next offset of each partition, also after reading starts over. A partition that is added later is read whole. */
  const next = new Map<number, number>();
  for (const [partition, { startOffset, endOffset }] of ranges)
    next.set(partition, fromBeginning ? startOffset : endOffset);
  const rangeOf = (partition: number, { startOffset, endOffset }: Range): Range => {
    const first = missing.has(partition) && healed === "fromItsEnd" ? endOffset : 0;
    const offset = next.get(partition) ?? first;
    next.set(partition, offset);
    // A topic that was created anew is shorter: all of it is new.
    return { startOffset: offset > endOffset ? startOffset : Math.max(startOffset, offset), endOffset };
  };
  const tail = startTail(
    { topic },
    {
      begin: (all) => new Map([...all].map(([partition, range]) => [partition, rangeOf(partition, range)])),
      take: async (record) => {
        next.set(record.partition, record.offset + 1);
        await onRecord(record);
        return true;
      },
    },
    { ...tools, ranges: () => cluster.ranges(topic) },
  );
  return {
    stop: async () => {
      await Promise.all([tail.stop(), cluster.close()]);
    },
  };
};
