import { replaceModule } from "../kafkajs-fixes/replace-module.ts";

type Partition = { partitionErrorCode: number; partitionId: number; leader: number };
type Topic = { topicErrorCode: number; partitionMetadata: readonly Partition[] };
/** kafkajs's decoded metadata: the part that is used here. */
type Metadata = { topicMetadata: readonly Topic[] };
type Response = { parse: (metadata: Metadata) => Promise<Metadata> };

const LEADER_NOT_AVAILABLE = 5;
/** A follower is away. The leader is there, and Kafka names it. */
const REPLICA_NOT_AVAILABLE = 9;
/** The leader lacks the listener that was asked: it cannot be reached. */
const LISTENER_NOT_FOUND = 72;

const NO_LEADER = -1;
/** Of the request, in kafkajs. */
const LAST_VERSION = 6;

const isWithoutLeader = ({ partitionErrorCode: code }: Partition): boolean =>
  code === LEADER_NOT_AVAILABLE || code === LISTENER_NOT_FOUND;
const isHarmless = (partition: Partition): boolean =>
  isWithoutLeader(partition) || partition.partitionErrorCode === REPLICA_NOT_AVAILABLE;

/** Makes of kafkajs's `parse` one that takes partitions without a leader: their leader is -1. */
const tolerantParse =
  (parse: Response["parse"]): Response["parse"] =>
  async (metadata) => {
    const topicMetadata = metadata.topicMetadata.map((topic) => ({
      ...topic,
      partitionMetadata: topic.partitionMetadata.filter((partition) => !isHarmless(partition)),
    }));
    await parse({ ...metadata, topicMetadata });
    return {
      ...metadata,
      topicMetadata: metadata.topicMetadata.map((topic) => ({
        ...topic,
        partitionMetadata: topic.partitionMetadata.map((partition) =>
          isWithoutLeader(partition) ? { ...partition, leader: NO_LEADER } : partition,
        ),
      })),
    };
  };

let done = false;

/**
 * Makes kafkajs take metadata in which partitions have no leader. It throws all of it away for a single one:
 * then nothing can be written to the other partitions of a topic, and no topics of a cluster can be listed.
 * Consumers must not see such metadata, see `kafkajs-fixes/lost-leaders.ts`.
 */
export const takePartitionsWithoutLeader = (): void => {
  if (done) return;
  // kafkajs looks up the module for each request, so it may have been loaded before. The last version first:
  // each takes its `parse` from an earlier one.
  for (let version = LAST_VERSION; version >= 0; version -= 1)
    replaceModule<Response>(`requests/metadata/v${version}/response`, [], (original) => ({
      ...original,
      parse: tolerantParse(original.parse),
    }));
  done = true;
};
