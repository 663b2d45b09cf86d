import type { PartitionAssigner } from "kafkajs";
import { expect, test } from "vitest";
import { failingWithoutLeader } from "../../../../src/kafka/kafkajs-fixes/lost-leaders.ts";
import { protocolErrorOf } from "../../../../src/kafka/errors.ts";

type Context = Parameters<PartitionAssigner>[0];

const fakeCluster = (leaders: number[]) => {
  const asked = { always: 0, ifNecessary: 0 };
  const cluster = {
    refreshMetadata: () => {
      asked.always += 1;
      return Promise.resolve();
    },
    refreshMetadataIfNecessary: () => {
      asked.ifNecessary += 1;
      return Promise.resolve();
    },
    findTopicPartitionMetadata: () => leaders.map((leader, partitionId) => ({ partitionId, leader })),
  };
  failingWithoutLeader("t")({ cluster, groupId: "g" } as unknown as Context);
  return { cluster, asked, leaders };
};

test("metadata with a leader for each partition are used as before", async () => {
  const { cluster, asked } = fakeCluster([1, 2]);
  await cluster.refreshMetadataIfNecessary();
  await cluster.refreshMetadata();
  expect(asked).toEqual({ always: 1, ifNecessary: 1 });
});

test("while a partition has no leader, every request for metadata asks again, and fails", async () => {
  const { cluster, asked, leaders } = fakeCluster([1, -1]);
  expect(await cluster.refreshMetadata().catch(protocolErrorOf)).toBe("LEADER_NOT_AVAILABLE");
  expect(await cluster.refreshMetadataIfNecessary().catch(protocolErrorOf)).toBe("LEADER_NOT_AVAILABLE");
  expect(asked).toEqual({ always: 2, ifNecessary: 1 });
  leaders[1] = 2;
  await cluster.refreshMetadataIfNecessary();
  expect(asked).toEqual({ always: 2, ifNecessary: 2 });
});
