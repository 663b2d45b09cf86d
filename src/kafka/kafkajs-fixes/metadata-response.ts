/*
 * kafkajs 2.2.4 throws away the metadata of all topics for a single partition without a leader: nothing can be written
 * to the other partitions, and no topic be listed. Mended when "metadata-response.ts" in faults.test.ts fails.
 */
import { replaceModule } from "./replace-module.ts";

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

const eachPartitions = (
  metadata: Metadata,
  change: (partitions: readonly Partition[]) => readonly Partition[],
) => ({
  ...metadata,
  topicMetadata: metadata.topicMetadata.map((topic) => ({
    ...topic,
    partitionMetadata: change(topic.partitionMetadata),
  })),
});

/** Makes of kafkajs's `parse` one that takes partitions without a leader: their leader is -1. */
const tolerantParse =
  (parse: Response["parse"]): Response["parse"] =>
  async (metadata) => {
    const isHarmful = (one: Partition): boolean =>
      !isWithoutLeader(one) && one.partitionErrorCode !== REPLICA_NOT_AVAILABLE;
    await parse(eachPartitions(metadata, (partitions) => partitions.filter(isHarmful)));
    return eachPartitions(metadata, (partitions) =>
      partitions.map((one) => (isWithoutLeader(one) ? { ...one, leader: NO_LEADER } : one)),
    );
  };

/** Makes kafkajs take such metadata. */
export const takePartitionsWithoutLeader = (): void => {
  // kafkajs looks up the module for each request. The last version first: each takes its `parse` from an earlier one.
  for (let version = LAST_VERSION; version >= 0; version -= 1)
    replaceModule<Response>(`requests/metadata/v${version}/response`, [], (original) => ({
      ...original,
      parse: tolerantParse(original.parse),
    }));
};
