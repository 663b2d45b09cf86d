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

/**
 * Opens kafkajs's internal cluster, which sends single requests; it is not exported.
 *
 * Why: kafkajs's consumers and producers send only the requests that they need themselves, it does not support
 * the request that lists rights, and its admin client asks the brokers that the cluster names, which may be out
 * of reach.
 * What breaks it: another version of kafkajs (package.json pins the exact one; the integration test of
 * `doctor` uses this).
 * How to remove it: delete this file, `rights.ts` and `ask-one-broker.ts`, and what uses them in `doctor/`.
 */
export const openInternalCluster = (client: Kafka): InternalCluster => {
  const factory = Object.getOwnPropertySymbols(client).find(
    ({ description }) => description === "private:Kafka:createCluster",
  );
  if (factory === undefined) throw new Error("kafkajs keeps its cluster somewhere else than it did");
  const create = (client as unknown as Record<symbol, (options: object) => InternalCluster>)[factory];
  if (!create) throw new Error("kafkajs makes its cluster in another way than it did");
  return create({ allowAutoTopicCreation: false, metadataMaxAge: 300_000 });
};
