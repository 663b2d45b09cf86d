import { expect, onTestFinished, test } from "vitest";
import type { Services } from "../../../../src/bridge/services.ts";
import { followAudit } from "../../../../src/bridge/operator/follow-audit.ts";
import { silent } from "../../../../src/cli/silent.ts";
import type { Config } from "../../../../src/config/config.ts";
import type { Cluster } from "../../../../src/kafka/cluster/cluster.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { fakeKafka, ownReader, TOPIC } from "../../kafka/consume/fake-kafka.ts";

/** The audit topic in a Kafka that is imitated. */
const auditTopic = () => {
  const kafka = fakeKafka(1);
  const topic = { name: TOPIC, partitions: 1, replicationFactor: 1, config: {} };
  const cluster = async (): Promise<Cluster> => ({
    ...(await kafka.connectCluster()),
    find: () => Promise.resolve(new Map([[TOPIC, topic]])),
  });
  const services = {
    ...{ clock: systemClock, log: silent, random: () => 0, ownReader },
    newClient: () => fakeKafka(1, kafka).client,
  } as unknown as Services;
  const config = { topics: { audit: TOPIC } } as unknown as Config;
  const deps = async () => ({
    config,
    services,
    cluster: await cluster(),
    signal: new AbortController().signal,
  });
  return { kafka, deps };
};

test("an audit topic that ends with the marker of a transaction is read to its end", async () => {
  const { kafka, deps } = auditTopic();
  kafka.append(0, ["a"], "entry");
  kafka.skipOffset(0);
  const taken: string[] = [];
  const followed = await followAudit(await deps(), { take: (text) => void taken.push(text) });
  onTestFinished(followed.close);
  await followed.untilCurrent();
  expect(taken).toEqual(["entry"]);
});

test("an audit topic that is created again is read from its beginning, and the former one is dropped", async () => {
  const { kafka, deps } = auditTopic();
  let taken: string[] = [];
  kafka.append(0, ["a", "b", "c"], "old");
  const followed = await followAudit(await deps(), {
    forget: () => (taken = []),
    take: (text) => void taken.push(text),
  });
  onTestFinished(followed.close);
  expect(taken).toEqual(["old", "old", "old"]);
  kafka.replace(0);
  kafka.append(0, ["d"], "new");
  await followed.untilRead(0);
  expect(taken).toEqual(["new"]);
  kafka.append(0, ["e"], "newer");
  await followed.untilCurrent();
  expect(taken).toEqual(["new", "newer"]);
});
