import { createRequire } from "node:module";
import { beforeAll, expect, test } from "vitest";
import { takePartitionsWithoutLeader } from "../../../../src/kafka/kafkajs-fixes/metadata-response.ts";
import { protocolErrorOf } from "../../../../src/kafka/errors.ts";

const require = createRequire(import.meta.url);
const partition = (partitionErrorCode: number, leader: number) => ({
  partitionErrorCode,
  partitionId: partitionErrorCode,
  leader,
  replicas: [1],
  isr: [],
});
const topic = (partitionMetadata: readonly ReturnType<typeof partition>[], topicErrorCode = 0) => ({
  topicErrorCode,
  topic: "t",
  partitionMetadata,
});
const metadataOf = (...topicMetadata: ReturnType<typeof topic>[]) => ({ brokers: [], topicMetadata });
type Metadata = ReturnType<typeof metadataOf>;

type Parse = (metadata: Metadata) => Promise<Metadata>;
const parseOf = (version: number): Parse =>
  (require(`kafkajs/src/protocol/requests/metadata/v${version}/response.js`) as { parse: Parse }).parse;

beforeAll(takePartitionsWithoutLeader);

const versions = [0, 1, 2, 3, 4, 5, 6];

test.each(versions)("version %i takes partitions without a leader", async (version) => {
  const metadata = metadataOf(topic([partition(0, 1), partition(5, -1), partition(72, 2), partition(9, 3)]));
  expect(await parseOf(version)(metadata)).toEqual(
    metadataOf(
      topic([partition(0, 1), partition(5, -1), { ...partition(72, 2), leader: -1 }, partition(9, 3)]),
    ),
  );
});

const refused: { name: string; metadata: Metadata; error: string }[] = [
  {
    name: "another error of a partition",
    metadata: metadataOf(topic([partition(5, -1), partition(3, 1)])),
    error: "UNKNOWN_TOPIC_OR_PARTITION",
  },
  {
    name: "an error of the brokers for a partition",
    metadata: metadataOf(topic([partition(0, 1)]), topic([partition(56, -1)])),
    error: "KAFKA_STORAGE_ERROR",
  },
  {
    name: "an error of a topic",
    metadata: metadataOf(topic([partition(0, 1)]), topic([], 29)),
    error: "TOPIC_AUTHORIZATION_FAILED",
  },
  {
    name: "a topic without any leader, by its own code",
    metadata: metadataOf(topic([partition(0, 1)], 5)),
    error: "LEADER_NOT_AVAILABLE",
  },
];

test.each(refused)("$name is thrown as before", async ({ metadata, error }) => {
  const thrown = await parseOf(6)(metadata).catch(protocolErrorOf);
  expect(thrown).toBe(error);
});
