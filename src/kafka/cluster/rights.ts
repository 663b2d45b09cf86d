import type { Clock } from "../../runtime/clock.ts";
import type { NewClient } from "../client.ts";
import { protocolErrorOf } from "../errors.ts";
import { askCoordinator } from "./found-group.ts";
import { openInternalCluster, type InternalBroker } from "../kafkajs-fixes/internal-cluster.ts";
import { preparedMessage } from "../kafkajs-fixes/prepared-batches.ts";

export type Verdict = "allowed" | "denied" | "missing";
/** Finds out what this user may do, by requests that have no effect. Rejects when the brokers' answers do not tell. */
export type Rights = {
  topic(name: string, operation: "Describe" | "Read" | "Write"): Promise<Verdict>;
  /** Whether a member with this session timeout may join a group. */
  group(groupId: string, sessionTimeoutMs: number): Promise<Verdict>;
  close(): Promise<void>;
};

const TIMEOUT_MS = 1_000;
/** Beyond the end of any log: with the right to read, the answer is OFFSET_OUT_OF_RANGE. */
const OFFSET_OUT_OF_RANGE = "9223372036854775806";
const NO_RECORDS = Buffer.alloc(0);
const UNKNOWN_MEMBER = "cambio-bridge-doctor";
/** As the bridge's consumers assign partitions: see `failingWithoutLeader`. */
const ASSIGNMENT = { name: "RoundRobinAssigner", metadata: Buffer.alloc(0) };

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

  const leaderOf = async (topic: string): Promise<{ partition: number; broker: InternalBroker }> => {
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
    group: async (groupId, sessionTimeout) => {
      // kafkajs's own look-up tries all brokers, and hides their error codes.
      const broker = await cluster.findControllerBroker();
      const verdict = await verdictOf(broker.findGroupCoordinator({ groupId })).catch(() => null);
      if (verdict === "denied") return verdict;
      return askCoordinator(clock, async () => {
        const coordinator = await cluster.findGroupCoordinator({ groupId });
        const join = { groupId, sessionTimeout, rebalanceTimeout: sessionTimeout };
        return verdictOf(
          coordinator.joinGroup({ ...join, memberId: UNKNOWN_MEMBER, groupProtocols: [ASSIGNMENT] }),
        );
      });
    },
    close: () => clock.within(TIMEOUT_MS, undefined, cluster.disconnect()).catch(() => undefined),
  };
};
