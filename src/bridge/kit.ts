import { readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import type { Config } from "../config/config.ts";
import { newClient, type KafkaOptions, type NewClient } from "../kafka/client.ts";
import { connectCluster, type Cluster } from "../kafka/cluster/cluster.ts";
import { createPublisher, type Publisher, type PublisherOptions } from "../kafka/produce/publisher.ts";
import { connectRegistry, type Registry } from "../kafka/schema/registry.ts";
import { openSession } from "../kafka/produce/session.ts";
import type { Clock } from "../runtime/clock.ts";
import { UsageError } from "../runtime/errors.ts";
import type { Log } from "../runtime/log.ts";

/** What everything that touches Kafka is made of. */
export type Kit = {
  clock: Clock;
  log: Log;
  random: () => number;
  newClient: NewClient;
  registry: Registry;
  connectCluster: () => Promise<Cluster>;
  publisher: (topic: string, options: Omit<PublisherOptions, "topic">) => Publisher;
  /** A group of this process alone. */
  ownGroup: (purpose: string) => string;
};

/** Reads a PEM file that a setting names; says which setting when it cannot. */
export const pem = (variable: string, file: string | undefined): string | undefined => {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${variable} names a file that cannot be read: ${file}.`, { cause: error });
  }
};

const kafkaOptions = ({ kafka }: Config): KafkaOptions => {
  const ca = pem("KAFKA_TLS_CA_FILE", kafka.tlsCaFile);
  const cert = pem("KAFKA_TLS_CERT_FILE", kafka.tlsCertFile);
  const key = pem("KAFKA_TLS_KEY_FILE", kafka.tlsKeyFile);
  const { saslMechanism: mechanism, saslUsername: username, saslPassword } = kafka;
  return {
    brokers: kafka.brokers,
    clientId: kafka.clientId,
    tls: kafka.tls && {
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
    },
    sasl:
      mechanism && username !== undefined && saslPassword
        ? { mechanism, username, password: () => saslPassword.reveal() }
        : null,
  };
};

export const createKit = (config: Config, clock: Clock, log: Log): Kit => {
  const { registry } = config;
  const { username: registryUser, password: registryPassword } = registry;
  const client = newClient(kafkaOptions(config), log);
  const random = (): number => Math.random();
  const processId = randomUUID();
  return {
    clock,
    log,
    random,
    newClient: client,
    registry: connectRegistry(
      {
        url: registry.url,
        auth:
          registryUser !== undefined && registryPassword
            ? { username: registryUser, password: () => registryPassword.reveal() }
            : null,
        ca: pem("SCHEMA_REGISTRY_CA_FILE", registry.caFile),
      },
      clock,
    ),
    connectCluster: () => connectCluster(client, clock),
    publisher: (topic, options) =>
      createPublisher(
        { topic, ...options },
        { open: () => openSession(topic, client, clock), clock, log, random },
      ),
    ownGroup: (purpose) => `${config.kafka.groupId}-${purpose}-${processId}`,
  };
};
