import { afterAll, afterEach, beforeAll } from "vitest";
import { startKafka, type KafkaCluster } from "../../dev/cluster/kafka.mjs";
import type { Security } from "../../dev/cluster/broker-settings.mjs";
import { agreedTopic } from "./broker-view.ts";
import { sharedCluster } from "./cluster.ts";
import { eventually } from "./eventually.ts";
import { leaderOf } from "./kafka.ts";
import type { Cluster, Settings } from "./settings.ts";

export type Broker = KafkaCluster["brokers"][number];
export type ThreeBrokers = ReturnType<typeof threeBrokers>;

/** Settings of a bridge whose topics survive the loss of a broker. */
export const onAllBrokers: Settings = { TOPIC_REPLICATION_FACTOR: "3" };

/**
 * A Kafka with three brokers for one test file. After each test, frozen brokers are resumed.
 * @param security listeners that authenticate, beside the plaintext one
 */
export const threeBrokers = (security?: () => Promise<Security>) => {
  let kafka: KafkaCluster | undefined;
  const running = (): KafkaCluster => {
    if (!kafka) throw new Error("the brokers have not been started yet");
    return kafka;
  };
  beforeAll(async () => {
    kafka = await startKafka({ brokers: 3, ...(security && { security: await security() }) });
  }, 90_000);
  afterAll(() => kafka?.stop());
  afterEach(() => kafka?.brokers.forEach((broker) => broker.resume()));

  return {
    all: (): readonly Broker[] => running().brokers,
    addresses: (): string => running().bootstrapServers,
    /** The addresses of a listener from `security`. */
    addressesOf: (listener: string): string => running().at(listener),
    /** With the registry that all tests share. */
    cluster: (): Cluster => ({ ...sharedCluster(), kafkaBrokers: running().bootstrapServers }),
    /** The leader of partition 0 of a topic. */
    leaderOf: async (topic: string): Promise<Broker> => {
      const id = await leaderOf(running().bootstrapServers, topic, 0);
      const found = running().brokers.find((broker) => broker.id === id);
      if (!found) throw new Error(`there is no broker ${id}`);
      return found;
    },
    /** Waits until all brokers have the same metadata of a topic, with all replicas in sync. */
    untilAgreedAbout: async (topic: string, withinMs: number): Promise<void> => {
      await eventually(
        () => agreedTopic(running().brokers, topic),
        `the brokers to agree about ${topic}`,
        withinMs,
      );
    },
  };
};
