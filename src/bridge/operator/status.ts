import type { Config } from "../../config/config.ts";
import type { Cluster } from "../../kafka/cluster/cluster.ts";
import type { FoundGroup } from "../../kafka/cluster/found-group.ts";
import { electionGroup } from "../reconcile-note.ts";
import type { Services } from "../services.ts";
import { withCluster } from "../with-cluster.ts";

type PartitionLag = {
  partition: number;
  /** The committed offset; null if there is none. */
  committed: number | null;
  end: number;
  lag: number;
};

/** The flows as Kafka knows them. Lags are numbers of records. */
export type FlowsStatus = {
  commands: { group: string } & FoundGroup & { lag: number; partitions: PartitionLag[] };
  /** `leader`: the replica that reconciles; null for none. */
  reconcile: { group: string } & FoundGroup & { leader: { clientId: string; host: string } | null };
};

const lagOf = async (cluster: Cluster, groupId: string, topic: string): Promise<PartitionLag[]> => {
  const committed = await cluster.committed(groupId, topic);
  const ranges = await cluster.ranges(topic);
  return [...ranges]
    .map(([partition, { startOffset, endOffset: end }]) => {
      const offset = committed.get(partition)?.offset ?? null;
      // Without a committed offset, or if it was deleted, the group starts at the first record.
      const lag = Math.max(0, end - Math.max(offset ?? 0, startOffset));
      return { partition, committed: offset, end, lag };
    })
    .sort((a, b) => a.partition - b.partition);
};

const withoutJoined = ({ state, members }: FoundGroup): FoundGroup => ({
  state,
  members: members.map(({ clientId, host, partitions }) => ({ clientId, host, partitions })),
});

/** Who runs the flows, and how far they are. Rejects if Kafka does not answer. */
export const askFlows = async (config: Config, cluster: Cluster): Promise<FlowsStatus> => {
  const { commands: topic, transactionStatus } = config.topics;
  const { groupId } = config.kafka;
  // Without the flow commands there need not be such a topic.
  const isThere = (await cluster.find([topic])).has(topic);
  const partitions = isThere ? await lagOf(cluster, groupId, topic) : [];
  const lag = partitions.reduce((sum, each) => sum + each.lag, 0);
  const commands = withoutJoined(await cluster.group(groupId));
  const election = electionGroup(config);
  const reconcile = withoutJoined(await cluster.group(election));
  const chosen = reconcile.members.find(({ partitions: held }) => held[transactionStatus]?.includes(0));
  const leader = chosen ? { clientId: chosen.clientId, host: chosen.host } : null;
  return {
    commands: { group: groupId, ...commands, lag, partitions },
    reconcile: { group: election, ...reconcile, leader },
  };
};

/** The same, with a connection of its own. */
export const flowsStatus = (config: Config, services: Services): Promise<FlowsStatus> =>
  withCluster(services, (cluster) => askFlows(config, cluster));
