import type { Kafka } from "kafkajs";
import type { Clock } from "../../runtime/clock.ts";
import type { NewClient } from "../client.ts";
import { protocolErrorOf } from "../errors.ts";
import { preparedMessage } from "../produce/produce-request.ts";

export type Verdict = "allowed" | "denied" | "missing";

/**
 * Finds out what this user may do, by requests that have no effect. Rejects when the brokers' answers do not
 * tell.
 */
export type Rights = {
  topic(name: string, operation: "Describe" | "Read" | "Write"): Promise<Verdict>;
  /** The right to join a group. */
  group(groupId: string): Promise<Verdict>;
  close(): Promise<void>;
};

type Part<T> = { topic: string; partitions: readonly T[] };
/** kafkajs's internal broker: the part that is used here. */
type Broker = {
  fetch(request: {
    maxWaitTime: number;
    topics: readonly Part<{ partition: number; fetchOffset: string; maxBytes: number }>[];
  }): Promise<unknown>;
  produce(request: {
    timeout: number;
    topicData: readonly Part<{ partition: number; messages: readonly unknown[] }>[];
  }): Promise<unknown>;
  findGroupCoordinator(which: { groupId: string }): Promise<unknown>;
  heartbeat(request: { groupId: string; groupGenerationId: number; memberId: string }): Promise<unknown>;
};
type InternalCluster = {
  connect(): Promise<void>;
  refreshMetadata(): Promise<void>;
  addTargetTopic(topic: string): Promise<void>;
  findTopicPartitionMetadata(topic: string): readonly { partitionId: number; leader: number }[];
  findControllerBroker(): Promise<Broker>;
  findBroker(which: { nodeId: number }): Promise<Broker>;
  findGroupCoordinator(which: { groupId: string }): Promise<Broker>;
  disconnect(): Promise<void>;
};

/**
 * Opens kafkajs's internal cluster, which sends single requests; it is not exported.
 *
 * Why: kafkajs's consumers and producers send only the requests that they need themselves, and it does not
 * support the request that lists rights.
 * What breaks it: another version of kafkajs (package.json pins the exact one; the integration test of
 * `doctor` uses this).
 * How to remove it: delete this file and `doctor/rights.ts`.
 */
const openInternalCluster = (client: Kafka): InternalCluster => {
  const factory = Object.getOwnPropertySymbols(client).find(
    ({ description }) => description === "private:Kafka:createCluster",
  );
  if (factory === undefined) throw new Error("kafkajs keeps its cluster somewhere else than it did");
  const create = (client as unknown as Record<symbol, (options: object) => InternalCluster>)[factory];
  if (!create) throw new Error("kafkajs makes its cluster in another way than it did");
  return create({ allowAutoTopicCreation: false, metadataMaxAge: 300_000 });
};

const TIMEOUT_MS = 1_000;
/** Beyond the end of any log: with the right to read, the answer is OFFSET_OUT_OF_RANGE. */
const OFFSET_OUT_OF_RANGE = "9223372036854775806";
const NO_RECORDS = Buffer.alloc(0);
const UNKNOWN_MEMBER = "cambio-bridge-doctor";

/** Brokers check rights first: an error about something else means that the request was allowed. */
const verdictOf = async (asked: Promise<unknown>): Promise<Verdict> => {
  try {
    await asked;
    return "allowed";
  } catch (error) {
    const answer = protocolErrorOf(error);
    if (/_AUTHORIZATION_FAILED$/.test(answer)) return "denied";
    if (answer === "UNKNOWN_TOPIC_OR_PARTITION") return "missing";
    // The errors of the requests below when they are allowed: an offset beyond the end, an empty batch, an
    // unknown member.
    if (/^(OFFSET_OUT_OF_RANGE|INVALID_RECORD|CORRUPT_MESSAGE|UNKNOWN_MEMBER_ID)$/.test(answer))
      return "allowed";
    throw error;
  }
};

export const connectRights = async (newClient: NewClient, clock: Clock): Promise<Rights> => {
  const cluster = openInternalCluster(newClient());
  await cluster.connect();
  await cluster.refreshMetadata();

  const leaderOf = async (topic: string): Promise<{ partition: number; broker: Broker }> => {
    const led = cluster.findTopicPartitionMetadata(topic).find(({ leader }) => leader >= 0);
    if (!led) throw new Error(`topic ${topic} has no leader`);
    return { partition: led.partitionId, broker: await cluster.findBroker({ nodeId: led.leader }) };
  };

  return {
    topic: async (topic, operation) => {
      const described = await verdictOf(cluster.addTargetTopic(topic));
      if (described !== "allowed" || operation === "Describe") return described;
      const { partition, broker } = await leaderOf(topic);
      return verdictOf(
        operation === "Read"
          ? broker.fetch({
              maxWaitTime: 0,
              topics: [{ topic, partitions: [{ partition, fetchOffset: OFFSET_OUT_OF_RANGE, maxBytes: 1 }] }],
            })
          : broker.produce({
              timeout: TIMEOUT_MS,
              topicData: [
                { topic, partitions: [{ partition, messages: [preparedMessage(partition, NO_RECORDS)] }] },
              ],
            }),
      );
    },
    group: async (groupId) => {
      // kafkajs's own look-up tries all brokers, and hides their error codes.
      const broker = await cluster.findControllerBroker();
      const verdict = await verdictOf(broker.findGroupCoordinator({ groupId })).catch(() => null);
      if (verdict === "denied") return verdict;
      const coordinator = await cluster.findGroupCoordinator({ groupId });
      return verdictOf(coordinator.heartbeat({ groupId, groupGenerationId: 0, memberId: UNKNOWN_MEMBER }));
    },
    close: () => clock.within(TIMEOUT_MS, undefined, cluster.disconnect()).catch(() => undefined),
  };
};
