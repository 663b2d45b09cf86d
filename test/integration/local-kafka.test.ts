import { inject, expect, it } from "vitest";
import { Kafka, logLevel } from "kafkajs";

it("gives the tests a Kafka and a schema registry that answer", async () => {
  const admin = new Kafka({ brokers: inject("kafkaBrokers").split(","), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const cluster = await admin.describeCluster();
  await admin.disconnect();
  expect(cluster.brokers).toHaveLength(1);

  const subjects = await fetch(`${inject("schemaRegistryUrl")}/subjects`);
  expect(subjects.status).toBe(200);
});
