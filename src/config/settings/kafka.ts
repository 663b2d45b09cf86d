import { checkHeaderText, readHeaderPairs } from "../read.ts";
import {
  brokers,
  certificates,
  duration,
  endpoint,
  flag,
  integer,
  optionalOneOf,
  optionalText,
  pairs,
  privateKey,
  requiredUrl,
  secret,
  secretFile,
  text,
  topic,
} from "../setting.ts";

export const kafka = {
  brokers: brokers({ env: "KAFKA_BROKERS", need: ["kafka"], help: "Bootstrap brokers, host:port." }),
  clientId: text({
    env: "KAFKA_CLIENT_ID",
    fallback: "cambio-bridge",
    help: "Client id sent to the brokers.",
  }),
  groupId: text({
    env: "KAFKA_GROUP_ID",
    fallback: "cambio-bridge",
    help: "Consumer group of the replicas; other groups of the bridge begin with it and a hyphen.",
  }),
  sessionTimeoutMs: duration({
    env: "KAFKA_SESSION_TIMEOUT",
    fallback: "30s",
    atLeastMs: 6_000,
    help: "After this long without a heartbeat, a replica's partitions go to other replicas.",
  }),
  tls: flag({ env: "KAFKA_TLS", help: "Connects with TLS." }),
  tlsCaFile: certificates({ env: "KAFKA_TLS_CA_FILE", help: "CA certificates, PEM." }),
  tlsCertFile: certificates({ env: "KAFKA_TLS_CERT_FILE", help: "Client certificate, PEM." }),
  tlsKeyFile: privateKey({ env: "KAFKA_TLS_KEY_FILE", help: "Client key, PEM." }),
  saslMechanism: optionalOneOf({
    env: "KAFKA_SASL_MECHANISM",
    values: ["plain", "scram-sha-256", "scram-sha-512", "oauthbearer", "aws-msk-iam"],
    help: "SASL mechanism; without it there is no SASL.",
  }),
  saslUsername: optionalText({ env: "KAFKA_SASL_USERNAME", help: "SASL user." }),
  saslPassword: secret({ env: "KAFKA_SASL_PASSWORD", help: "SASL password." }),
  oauthTokenEndpoint: endpoint({
    env: "KAFKA_OAUTH_TOKEN_ENDPOINT",
    help: "Token endpoint for `oauthbearer` (client credentials grant).",
  }),
  oauthClientId: optionalText({ env: "KAFKA_OAUTH_CLIENT_ID", help: "Client id at the token endpoint." }),
  oauthClientSecret: secret({
    env: "KAFKA_OAUTH_CLIENT_SECRET",
    help: "Client secret at the token endpoint, sent by HTTP Basic.",
  }),
  oauthScope: optionalText({ env: "KAFKA_OAUTH_SCOPE", help: "Scopes to request, separated by spaces." }),
  oauthAudience: optionalText({
    env: "KAFKA_OAUTH_AUDIENCE",
    help: "Value of `audience` in the token request.",
  }),
  oauthExtensions: pairs({
    env: "KAFKA_OAUTH_EXTENSIONS",
    help: "SASL extensions sent to the brokers with the token.",
  }),
  oauthTokenFile: secretFile({
    env: "KAFKA_OAUTH_TOKEN_FILE",
    help: "File that holds the token, instead of a token endpoint; read again when it changes.",
  }),
  awsRegion: optionalText({ env: "KAFKA_AWS_REGION", help: "Region of the MSK cluster, for `aws-msk-iam`." }),
  allowPlaintext: flag({
    env: "KAFKA_ALLOW_PLAINTEXT",
    help: "Allows PLAIN passwords, tokens and client secrets without TLS, and TLS files without KAFKA_TLS.",
  }),
} as const;

export const registry = {
  url: requiredUrl({
    env: "SCHEMA_REGISTRY_URL",
    need: ["kafka"],
    help: "Confluent-compatible schema registry, without a trailing /subjects.",
  }),
  username: optionalText({ env: "SCHEMA_REGISTRY_USERNAME", help: "User for basic authentication." }),
  password: secret({ env: "SCHEMA_REGISTRY_PASSWORD", help: "Password for basic authentication." }),
  token: secret({ env: "SCHEMA_REGISTRY_TOKEN", help: "Bearer token.", check: checkHeaderText }),
  oauth: flag({
    env: "SCHEMA_REGISTRY_OAUTH",
    help: "Sends the token that KAFKA_OAUTH_… obtains as bearer token.",
  }),
  headers: secret({
    env: "SCHEMA_REGISTRY_HEADERS",
    help: "Headers added to each request, `name=value,name=value`.",
    check: (text) => void readHeaderPairs(text),
  }),
  caFile: certificates({ env: "SCHEMA_REGISTRY_CA_FILE", help: "CA certificates, PEM." }),
} as const;

export const topics = {
  transactionStatus: topic({
    env: "TOPIC_TRANSACTION_STATUS",
    fallback: "fx.transaction-status",
    help: "Status events (TransactionStatusUpdated), keyed by transactionId.",
  }),
  commands: topic({ env: "TOPIC_COMMANDS", fallback: "fx.commands", help: "Commands, Avro or JSON." }),
  results: topic({
    env: "TOPIC_COMMAND_RESULTS",
    fallback: "fx.command-results",
    help: "Results (CommandResult), keyed by commandId.",
  }),
  journal: topic({
    env: "TOPIC_COMMAND_JOURNAL",
    fallback: "fx.command-journal",
    help: "The journal: who may call the partner. Only the bridge writes to it.",
  }),
  deadLetters: topic({
    env: "TOPIC_DEAD_LETTERS",
    fallback: "fx.dead-letters",
    help: "Dead letters, byte for byte.",
  }),
  audit: topic({
    env: "TOPIC_AUDIT",
    fallback: "fx.bridge-audit",
    help: "Audit entries: what people did with the bridge, as JSON CloudEvents.",
  }),
  control: topic({
    env: "TOPIC_CONTROL",
    fallback: "fx.bridge-control",
    help: "Pauses and their ends; compacted.",
  }),
  partitions: integer({
    env: "TOPIC_PARTITIONS",
    fallback: "6",
    min: 1,
    max: 10_000,
    help: "Partitions of topics that `setup` creates.",
  }),
  replicationFactor: integer({
    env: "TOPIC_REPLICATION_FACTOR",
    fallback: "-1",
    min: -1,
    max: 32,
    help: "Replicas of topics that `setup` creates; -1 for the broker's default.",
  }),
} as const;
