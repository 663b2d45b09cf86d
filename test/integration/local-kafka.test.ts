import { expect, it } from "vitest";
import { sharedCluster } from "../support/cluster.ts";
import { askAdmin } from "../support/kafka.ts";

it("gives the tests a Kafka and a schema registry that answer", async () => {
  const { kafkaBrokers, schemaRegistryUrl } = sharedCluster();
  const { brokers } = await askAdmin(kafkaBrokers, (admin) => admin.describeCluster());
  expect(brokers).toHaveLength(1);

  const subjects = await fetch(`${schemaRegistryUrl}/subjects`);
  expect(subjects.status).toBe(200);
});
