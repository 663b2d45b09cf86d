import type { Clock } from "../../runtime/clock.ts";
import type { NewClient } from "../client.ts";
import { protocolErrorOf } from "../errors.ts";
import { openInternalCluster } from "../kafkajs-fixes/internal-cluster.ts";
import { preparedMessage } from "../kafkajs-fixes/prepared-batches.ts";
import type { Right } from "./topics.ts";

export type Rights = Awaited<ReturnType<typeof connectRights>>;

const TIMEOUT_MS = 1_000;
/** Beyond the end of any log: with the right to read, the answer is OFFSET_OUT_OF_RANGE. */
const OFFSET_OUT_OF_RANGE = "9223372036854775806";
const NO_RECORDS = Buffer.alloc(0);
const UNKNOWN_MEMBER = "cambio-bridge-doctor";
/** The bridge's consumers assign partitions in this way: see `readingNothing`. */
const ASSIGNMENT = { name: "RoundRobinAssigner", metadata: Buffer.alloc(0) };

/** The answers to the requests below where they are allowed: brokers check rights first. */
const ALLOWED =
  /^(UNKNOWN_TOPIC_OR_PARTITION|OFFSET_OUT_OF_RANGE|INVALID_RECORD|CORRUPT_MESSAGE|UNKNOWN_MEMBER_ID)$/;

const isDenied = (request: Promise<unknown>): Promise<boolean> =>
  request.then(
    () => false,
    (error: unknown) => {
      const answer = protocolErrorOf(error);
      if (/_AUTHORIZATION_FAILED$/.test(answer)) return true;
      if (ALLOWED.test(answer)) return false;
      throw error;
    },
  );

/** A new cluster has no coordinator at first, or one that is loading: it is asked for two seconds. */
const COORDINATOR_TRIES = 6;
const COORDINATOR_AGAIN_MS = 400;

/** Finds out by requests without an effect whether a right is lacking. A topic without a leader denies nothing. */
export const connectRights = async (newClient: NewClient, clock: Clock) => {
  const cluster = openInternalCluster(newClient());
  await cluster.connect();
  await cluster.refreshMetadata();

  return {
    isTopicDenied: async (topic: string, right: Right): Promise<boolean> => {
      if (await isDenied(cluster.addTargetTopic(topic))) return true;
      const ledPartition = cluster.findTopicPartitionMetadata(topic).find(({ leader }) => leader >= 0);
      if (!ledPartition) return false;
      const partition = ledPartition.partitionId;
      const broker = await cluster.findBroker({ nodeId: ledPartition.leader });
      if (right === "Read") {
        const partitions = [{ partition, fetchOffset: OFFSET_OUT_OF_RANGE, maxBytes: 1 }];
        return isDenied(broker.fetch({ maxWaitTime: 0, topics: [{ topic, partitions }] }));
      }
      const partitions = [{ partition, messages: [preparedMessage(partition, NO_RECORDS)] }];
      return isDenied(broker.produce({ timeout: TIMEOUT_MS, topicData: [{ topic, partitions }] }));
    },

    isGroupDenied: async (groupId: string, sessionTimeout: number): Promise<boolean> => {
      // kafkajs's own look-up tries all brokers, and hides their error codes.
      const broker = await cluster.findControllerBroker();
      if (await isDenied(broker.findGroupCoordinator({ groupId })).catch(() => false)) return true;
      const join = { groupId, sessionTimeout, rebalanceTimeout: sessionTimeout, memberId: UNKNOWN_MEMBER };
      for (let tries = 1; ; tries++) {
        try {
          const coordinator = await cluster.findGroupCoordinator({ groupId });
          return await isDenied(coordinator.joinGroup({ ...join, groupProtocols: [ASSIGNMENT] }));
        } catch (error) {
          if (tries === COORDINATOR_TRIES || !/COORDINATOR/.test(protocolErrorOf(error))) throw error;
          await clock.sleep(COORDINATOR_AGAIN_MS);
        }
      }
    },
    close: () => clock.within(TIMEOUT_MS, undefined, cluster.disconnect()).catch(() => undefined),
  };
};
