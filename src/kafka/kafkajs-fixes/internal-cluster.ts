/*
 * kafkajs 2.2.4 does not export the cluster that sends single requests. Its consumers read only in groups, and it knows
 * no request that lists rights; its admin client asks the brokers that the cluster names, which may be out of reach.
 */
import type { Kafka } from "kafkajs";

type Part<T> = { topic: string; partitions: readonly T[] };
/** kafkajs's internal broker: the part that is used here. */
export type InternalBroker = {
  fetch(request: {
    maxWaitTime: number;
    minBytes?: number;
    maxBytes?: number;
    topics: readonly Part<{ partition: number; fetchOffset: string; maxBytes: number }>[];
  }): Promise<unknown>;
  produce(request: {
    timeout: number;
    topicData: readonly Part<{ partition: number; messages: readonly unknown[] }>[];
  }): Promise<unknown>;
  findGroupCoordinator(which: { groupId: string }): Promise<unknown>;
  joinGroup(request: {
    groupId: string;
    sessionTimeout: number;
    rebalanceTimeout: number;
    memberId: string;
    groupProtocols: readonly { name: string; metadata: Buffer }[];
  }): Promise<unknown>;
};

export type InternalCluster = {
  connect(): Promise<void>;
  refreshMetadata(): Promise<void>;
  addTargetTopic(topic: string): Promise<void>;
  findTopicPartitionMetadata(topic: string): readonly { partitionId: number; leader: number }[];
  findControllerBroker(): Promise<InternalBroker>;
  findBroker(which: { nodeId: number }): Promise<InternalBroker>;
  findGroupCoordinator(which: { groupId: string }): Promise<InternalBroker>;
  /** `metadata` is null before the first answer. */
  brokerPool: {
    metadata: {
      clusterId: string;
      brokers: readonly { host: string; port: number }[];
    } | null;
  };
  disconnect(): Promise<void>;
};

/** Opens kafkajs's internal cluster. Another version of kafkajs may keep it elsewhere: package.json pins this one. */
export const openInternalCluster = (client: Kafka): InternalCluster => {
  const factory = Object.getOwnPropertySymbols(client).find(
    ({ description }) => description === "private:Kafka:createCluster",
  );
  if (factory === undefined) throw new Error("kafkajs keeps its cluster somewhere else than it did");
  const create = (client as unknown as Record<symbol, (options: object) => InternalCluster>)[factory];
  if (!create) throw new Error("kafkajs makes its cluster in another way than it did");
  return create({ allowAutoTopicCreation: false, metadataMaxAge: 300_000 });
};
