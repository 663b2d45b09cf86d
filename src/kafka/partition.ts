import { Partitioners, type PartitionMetadata } from "kafkajs";

/** Chooses the partition of a key as Kafka's own clients do (murmur2). Records without a key are spread evenly. */
export type ChoosePartition = (key: Buffer | null, partitions: number) => number;

const NO_LEADERS: PartitionMetadata[] = [];

export const choosePartition = (): ChoosePartition => {
  const murmur2 = Partitioners.DefaultPartitioner();
  const metadata = new Map<number, PartitionMetadata[]>();
  let next = 0;

  return (key, partitions) => {
    if (key === null) {
      next = (next + 1) % partitions;
      return next;
    }
    let ofThisCount = metadata.get(partitions);
    if (ofThisCount === undefined) {
      // For a keyed message kafkajs looks at the number of partitions alone.
      ofThisCount = NO_LEADERS.concat(
        Array.from({ length: partitions }, (_, partitionId) => ({
          partitionErrorCode: 0,
          partitionId,
          leader: 0,
          replicas: [],
          isr: [],
        })),
      );
      metadata.set(partitions, ofThisCount);
    }
    return murmur2({ topic: "", partitionMetadata: ofThisCount, message: { key, value: null } });
  };
};
