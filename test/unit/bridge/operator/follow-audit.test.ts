import { expect, onTestFinished, test } from "vitest";
import type { Services } from "../../../../src/bridge/services.ts";
import { followAudit } from "../../../../src/bridge/operator/follow-audit.ts";
import { silent } from "../../../../src/cli/silent.ts";
import type { Config } from "../../../../src/config/config.ts";
import type { Cluster } from "../../../../src/kafka/cluster/cluster.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { fakeKafka, TOPIC } from "../../kafka/consume/fake-kafka.ts";

test("an audit topic that is created again is read from its beginning, and the former one is dropped", async () => {
  const kafka = fakeKafka(1);
  const topic = { name: TOPIC, partitions: 1, replicationFactor: 1, config: {} };
  const whole = await kafka.connectCluster();
  const cluster = { ...whole, find: () => Promise.resolve(new Map([[TOPIC, topic]])) } as unknown as Cluster;
  const services = {
    ...{ clock: systemClock, log: silent, random: () => 0, ownGroup: () => "own" },
    newClient: () => fakeKafka(1, kafka).client,
  } as unknown as Services;
  const config = { topics: { audit: TOPIC }, kafka: { sessionTimeoutMs: 10_000 } } as unknown as Config;
  let taken: string[] = [];
  kafka.append(0, ["a", "b", "c"], "old");
  const followed = await followAudit(
    { config, services, cluster, signal: new AbortController().signal },
    { forget: () => (taken = []), take: (text) => void taken.push(text) },
  );
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
