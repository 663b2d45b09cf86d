/*
 * kafkajs 2.2.4 does not export the cluster that sends single requests. Its consumers read only in groups, and it knows
 * no request that lists rights; its admin client asks the brokers that the cluster names, which may be out of reach.
 */
import type { Broker, Cluster, Kafka } from "kafkajs";

/** With what kafkajs's types leave out. */
type InternalBroker = Broker & {
  findGroupCoordinator(which: { groupId: string }): Promise<unknown>;
  joinGroup(request: {
    groupId: string;
    sessionTimeout: number;
    rebalanceTimeout: number;
    memberId: string;
    groupProtocols: readonly { name: string; metadata: Buffer }[];
  }): Promise<unknown>;
};

export type InternalCluster = Omit<
  Cluster,
  "findBroker" | "findControllerBroker" | "findGroupCoordinator"
> & {
  findBroker(which: { nodeId: number }): Promise<InternalBroker>;
  findControllerBroker(): Promise<InternalBroker>;
  findGroupCoordinator(which: { groupId: string }): Promise<InternalBroker>;
  /** `metadata` is null before the first answer. */
  brokerPool: {
    metadata: { clusterId: string; brokers: readonly { host: string; port: number }[] } | null;
  };
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
