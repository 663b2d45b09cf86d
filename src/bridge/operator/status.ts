import type { Config } from "../../config/config.ts";
import type { Cluster, FoundGroup } from "../../kafka/cluster/cluster.ts";
import { electionGroup } from "../reconcile-note.ts";
import type { Kit } from "../kit.ts";

export type PartitionLag = {
  partition: number;
  /** The next command; null where nothing was committed yet. */
  committed: number | null;
  end: number;
  lag: number;
};

/** What Kafka knows of the flows. The counts are of records. */
export type FlowsStatus = {
  commands: { group: string } & FoundGroup & { lag: number; partitions: PartitionLag[] };
  /** `leader`: the replica that reads the partner's log; null for none. */
  reconcile: { group: string } & FoundGroup & { leader: { clientId: string; host: string } | null };
};

const lagOf = async (cluster: Cluster, groupId: string, topic: string): Promise<PartitionLag[]> => {
  const committed = await cluster.committed(groupId, topic);
  const ranges = await cluster.ranges(topic);
  return [...ranges]
    .map(([partition, { startOffset, endOffset: end }]) => {
      const offset = committed.get(partition)?.offset ?? null;
      // Where nothing was committed the group begins with the first record, and so it does behind one that is deleted.
      const lag = Math.max(0, end - Math.max(offset ?? 0, startOffset));
      return { partition, committed: offset, end, lag };
    })
    .sort((a, b) => a.partition - b.partition);
};

/** Asks Kafka who runs the flows and how far they are. Rejects when it does not answer. */
export const askFlows = async (config: Config, cluster: Cluster): Promise<FlowsStatus> => {
  const { commands: topic, transactionStatus } = config.topics;
  const { groupId } = config.kafka;
  const partitions = await lagOf(cluster, groupId, topic);
  const lag = partitions.reduce((sum, each) => sum + each.lag, 0);
  const commands = await cluster.group(groupId);
  const election = electionGroup(config);
  const reconcile = await cluster.group(election);
  const chosen = reconcile.members.find(({ partitions: held }) => held[transactionStatus]?.includes(0));
  const leader = chosen ? { clientId: chosen.clientId, host: chosen.host } : null;
  return {
    commands: { group: groupId, ...commands, lag, partitions },
    reconcile: { group: election, ...reconcile, leader },
  };
};

/** The same, with a connection of its own. */
export const flowsStatus = async (config: Config, kit: Kit): Promise<FlowsStatus> => {
  const cluster = await kit.connectCluster();
  try {
    return await askFlows(config, cluster);
  } finally {
    await cluster.close();
  }
};
