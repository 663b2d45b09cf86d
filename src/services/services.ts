import type { Config } from "../config/config.ts";
import { watchSecrets } from "../config/load.ts";
import { newClient, type KafkaOptions, type NewClient, type SaslOptions } from "../kafka/client.ts";
import { connectCluster, type Cluster } from "../kafka/cluster/cluster.ts";
import { createPublisher, type Publisher, type PublisherOptions } from "../kafka/produce/publisher.ts";
import { connectRegistry, type Registry } from "../kafka/schema/registry.ts";
import { openLeaderLookup, openSender } from "../kafka/produce/session.ts";
import { createMetrics, type Metrics } from "../ops/metrics.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { signInOf } from "./sign-in.ts";
import type { Traces } from "../runtime/traces.ts";

/** What every part of the process shares: settings, clock, log, metrics, traces, clients of Kafka and the registry. */
export type Services = {
  config: Config;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** Null when no collector is configured. */
  traces: Traces | null;
  random: () => number;
  newClient: NewClient;
  registry: Registry;
  connectCluster: () => Promise<Cluster>;
  publisher: (topic: string, options: Omit<PublisherOptions, "topic">) => Publisher;
  /** Stops renewing tokens and reading secrets again. Whoever opened a client closes it. */
  close: () => void;
};

const kafkaOptions = ({ kafka }: Config, sasl: SaslOptions | null): KafkaOptions => ({
  brokers: kafka.brokers,
  clientId: kafka.clientId,
  tls: kafka.tls && { ca: kafka.tlsCa, cert: kafka.tlsCert, key: kafka.tlsKey?.reveal() },
  sasl,
});

/** Throws a UsageError as `signInOf` does. */
export const createServices = (
  config: Config,
  clock: Clock,
  log: Log,
  { metrics = createMetrics(), signIn = signInOf(config, { clock, log, random: Math.random }) } = {},
): Services => {
  const { registry } = config;
  const { random } = Math;
  const unwatch = watchSecrets(config, log);
  const client = newClient(kafkaOptions(config, signIn.kafka), log);
  return {
    config,
    clock,
    log,
    metrics,
    traces: null,
    random,
    newClient: client,
    registry: connectRegistry(
      {
        url: registry.url,
        ...signIn.registry,
        ca: registry.ca,
      },
      clock,
    ),
    connectCluster: async () => {
      await signIn.ready();
      return connectCluster(client, clock);
    },
    publisher: (topic, options) =>
      createPublisher(
        { topic, ...options },
        {
          openLookup: () => openLeaderLookup(topic, client, clock),
          openSender: () => openSender(topic, client, clock),
          clock,
          log,
          random,
        },
      ),
    close: () => {
      unwatch();
      signIn.close();
    },
  };
};
