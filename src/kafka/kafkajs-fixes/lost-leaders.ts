import { AssignerProtocol, PartitionAssigners, type PartitionAssigner } from "kafkajs";
import { errorOfCode } from "../errors.ts";

const LEADER_NOT_AVAILABLE = 5;

/** With this, members of a group tell that they are bridges: another program there would take their records. */
export const MEMBER_OF_BRIDGE = "cambio-bridge";

/**
 * kafkajs's round robin, for a consumer that does not read while a partition of its topic has no leader.
 *
 * Why: a kafkajs consumer would skip such a partition until its metadata are five minutes old, although the leader is
 * back. Without a committed offset it would ask for the first one without a pause. With this it fails, as it does by
 * itself with the unchanged `parse`, and the reader replaces it. The assigner is the place where kafkajs hands out the
 * consumer's cluster, before the first request.
 */
export const failingWithoutLeader =
  (topic: string): PartitionAssigner =>
  (context) => {
    const { cluster } = context;
    const [refresh, refreshIfNecessary] = [
      cluster.refreshMetadata.bind(cluster),
      cluster.refreshMetadataIfNecessary.bind(cluster),
    ];
    const areAllLed = (): boolean =>
      cluster.findTopicPartitionMetadata(topic).every(({ leader }) => leader >= 0);
    cluster.refreshMetadata = async () => {
      await refresh();
      if (!areAllLed()) throw errorOfCode(LEADER_NOT_AVAILABLE);
    };
    cluster.refreshMetadataIfNecessary = async () => {
      await refreshIfNecessary();
      if (!areAllLed()) await cluster.refreshMetadata();
    };
    const roundRobin = PartitionAssigners.roundRobin(context);
    return {
      ...roundRobin,
      protocol: (subscription) => ({
        name: roundRobin.name,
        metadata: AssignerProtocol.MemberMetadata.encode({
          version: roundRobin.version,
          topics: subscription.topics,
          userData: Buffer.from(MEMBER_OF_BRIDGE),
        }),
      }),
    };
  };
