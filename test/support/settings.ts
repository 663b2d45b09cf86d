import { randomUUID } from "node:crypto";

/** The addresses of a Kafka and a registry. */
export type Cluster = { kafkaBrokers: string; schemaRegistryUrl: string };

export type Settings = Record<string, string>;

/** Unique names, so that tests can share one Kafka. All begin with the groupId. */
export const ownNames = () => {
  const groupId = `test-${randomUUID().slice(0, 8)}`;
  const topic = (name: string): string => `${groupId}.${name}`;
  const topics = {
    events: topic("events"),
    commands: topic("commands"),
    results: topic("results"),
    journal: topic("journal"),
    deadLetters: topic("dead-letters"),
    audit: topic("audit"),
    control: topic("control"),
  };
  return { groupId, topics };
};
export type Names = ReturnType<typeof ownNames>;

/** The settings that the tools need. */
export const toolSettings = (
  { kafkaBrokers, schemaRegistryUrl }: Cluster,
  { groupId, topics }: Names,
): Settings => ({
  KAFKA_BROKERS: kafkaBrokers,
  SCHEMA_REGISTRY_URL: schemaRegistryUrl,
  KAFKA_GROUP_ID: groupId,
  TOPIC_TRANSACTION_STATUS: topics.events,
  TOPIC_COMMANDS: topics.commands,
  TOPIC_COMMAND_RESULTS: topics.results,
  TOPIC_COMMAND_JOURNAL: topics.journal,
  TOPIC_DEAD_LETTERS: topics.deadLetters,
  TOPIC_AUDIT: topics.audit,
  TOPIC_CONTROL: topics.control,
});

/** Values that must not appear in any output. */
export const secrets = {
  PARTNER_ACCESS_TOKEN: "access-token-of-the-test",
  PARTNER_X_TOKEN: "x-token-of-the-test",
  WEBHOOK_SECRET: "webhook-secret-of-the-test",
} as const;

/** The further settings of `serve`, except the partner's address. */
export const serveSettings: Settings = {
  ...secrets,
  PARTNER_NAME: "test",
  WEBHOOK_AUTH: "path-token",
  WEBHOOK_HOST: "127.0.0.1",
  MANAGEMENT_HOST: "127.0.0.1",
  // Short, so that the group soon notices a killed replica.
  KAFKA_SESSION_TIMEOUT: "6s",
};
