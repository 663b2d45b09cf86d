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

test.each<[string, Metadata, string]>([
  [
    "another error of a partition",
    metadataOf(topic([partition(5, -1), partition(3, 1)])),
    "UNKNOWN_TOPIC_OR_PARTITION",
  ],
  ["an error of a topic", metadataOf(topic([partition(0, 1)]), topic([], 29)), "TOPIC_AUTHORIZATION_FAILED"],
])("%s is thrown as before", async (_, metadata, error) => {
  expect(await parseOf(6)(metadata).catch(protocolErrorOf)).toBe(error);
});
