import type { Config } from "../../config/config.ts";
import { watchSecrets } from "../../config/load.ts";
import { maskOwnSecrets } from "../../config/own-secrets.ts";
import { createMetrics, type Metrics } from "../../ops/metrics.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { Traces } from "../../runtime/traces.ts";
import { newClient } from "../client.ts";
import { connectCluster } from "../cluster/cluster.ts";
import { createPublisher, type PublisherOptions } from "../produce/publisher.ts";
import { openLeaderLookup, openSender } from "../produce/session.ts";
import { connectRegistry, patientWriter } from "../schema/registry.ts";
import { signInOf, type SignIn } from "./sign-in.ts";

/** What every part of the process shares: settings, clock, log, metrics, traces, clients of Kafka and the registry. */
export type Services = ReturnType<typeof createServices>;

type ServicesOptions = {
  clock: Clock;
  log: Log;
  metrics?: Metrics;
  traces?: Traces | null;
  /** By default that of the configuration, which throws a UsageError as `signInOf` does. */
  signIn?: SignIn;
  /** Whether a schema that the registry does not know yet is waited for. */
  waitsForSchemas?: boolean;
};

/** Connects nothing yet. */
export const createServices = (config: Config, options: ServicesOptions) => {
  const { clock, log, metrics = createMetrics(), traces = null, waitsForSchemas = false } = options;
  const { random } = Math;
  const { signIn = signInOf(config, { clock, log, random }) } = options;
  const unwatch = watchSecrets(config, log);
  const { brokers, clientId, tls, tlsCa, tlsCert, tlsKey } = config.kafka;
  const tlsMaterial = tls && { ca: tlsCa, cert: tlsCert, key: tlsKey?.reveal() };
  const client = newClient({ brokers, clientId, tls: tlsMaterial, sasl: signIn.kafka }, log);
  const { url, ca } = config.registry;
  const registry = connectRegistry({ url, ca, ...signIn.registry }, clock);
  return {
    config,
    clock,
    log,
    metrics,
    traces,
    random,
    /** Masks the secrets that the partner may repeat. */
    mask: maskOwnSecrets(config),
    newClient: client,
    registry: waitsForSchemas ? { ...registry, writer: patientWriter(registry, clock) } : registry,
    connectCluster: async () => {
      await signIn.ready();
      return connectCluster(client, clock);
    },
    publisher: (topic: string, publisherOptions: Omit<PublisherOptions, "topic" | "acknowledged">) => {
      const seconds = metrics.publishSeconds.labels(topic);
      return createPublisher(
        { topic, ...publisherOptions, acknowledged: (ms) => seconds.observe(ms / 1_000) },
        {
          openLookup: () => openLeaderLookup(topic, client, clock),
          openSender: () => openSender(topic, client, clock),
          clock,
          log,
          random,
        },
      );
    },
    /** Stops renewing tokens and reading secrets again. Whoever opened a client closes it. */
    close: () => {
      unwatch();
      signIn.close();
    },
  };
};
