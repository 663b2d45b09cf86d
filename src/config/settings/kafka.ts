import { brokers, endpoint, requiredUrl } from "../addresses.ts";
import { certificates, privateKey, secretFile } from "../files.ts";
import { checkHeaderText, pairs, readHeaderPairs } from "../headers.ts";
import { duration, flag, integer, optionalOneOf, optionalText, text, topic } from "../kinds.ts";
import { secret } from "../setting.ts";

export const kafka = {
  brokers: brokers("KAFKA_BROKERS", "Bootstrap brokers, host:port.", { need: ["kafka"] }),
  clientId: text("KAFKA_CLIENT_ID", "cambio-bridge", "Client id sent to the brokers."),
  groupId: text(
    "KAFKA_GROUP_ID",
    "cambio-bridge",
    "Consumer group of the replicas; other groups of the bridge begin with it and a hyphen.",
  ),
  sessionTimeoutMs: duration(
    "KAFKA_SESSION_TIMEOUT",
    "30s",
    "After this long without a heartbeat, a replica's partitions go to other replicas.",
    { atLeastMs: 6_000 },
  ),
  tls: flag("KAFKA_TLS", "Connects with TLS."),
  tlsCaFile: certificates("KAFKA_TLS_CA_FILE", "CA certificates, PEM."),
  tlsCertFile: certificates("KAFKA_TLS_CERT_FILE", "Client certificate, PEM."),
  tlsKeyFile: privateKey("KAFKA_TLS_KEY_FILE", "Client key, PEM."),
  saslMechanism: optionalOneOf("KAFKA_SASL_MECHANISM", "SASL mechanism; without it there is no SASL.", {
    values: ["plain", "scram-sha-256", "scram-sha-512", "oauthbearer", "aws-msk-iam"],
  }),
  saslUsername: optionalText("KAFKA_SASL_USERNAME", "SASL user."),
  saslPassword: secret("KAFKA_SASL_PASSWORD", "SASL password."),
  oauthTokenEndpoint: endpoint(
    "KAFKA_OAUTH_TOKEN_ENDPOINT",
    "Token endpoint for `oauthbearer` (client credentials grant).",
  ),
  oauthClientId: optionalText("KAFKA_OAUTH_CLIENT_ID", "Client id at the token endpoint."),
  oauthClientSecret: secret(
    "KAFKA_OAUTH_CLIENT_SECRET",
    "Client secret at the token endpoint, sent by HTTP Basic.",
  ),
  oauthScope: optionalText("KAFKA_OAUTH_SCOPE", "Scopes to request, separated by spaces."),
  oauthAudience: optionalText("KAFKA_OAUTH_AUDIENCE", "Value of `audience` in the token request."),
  oauthExtensions: pairs("KAFKA_OAUTH_EXTENSIONS", "SASL extensions sent to the brokers with the token."),
  oauthTokenFile: secretFile(
    "KAFKA_OAUTH_TOKEN_FILE",
    "File that holds the token, instead of a token endpoint; read again when it changes.",
  ),
  awsRegion: optionalText("KAFKA_AWS_REGION", "Region of the MSK cluster, for `aws-msk-iam`."),
  allowPlaintext: flag(
    "KAFKA_ALLOW_PLAINTEXT",
    "Allows PLAIN passwords, tokens and client secrets without TLS, and TLS files without KAFKA_TLS.",
  ),
} as const;

export const registry = {
  url: requiredUrl(
    "SCHEMA_REGISTRY_URL",
    "Confluent-compatible schema registry, without a trailing /subjects.",
    { need: ["kafka"] },
  ),
  username: optionalText("SCHEMA_REGISTRY_USERNAME", "User for basic authentication."),
  password: secret("SCHEMA_REGISTRY_PASSWORD", "Password for basic authentication."),
  token: secret("SCHEMA_REGISTRY_TOKEN", "Bearer token.", { check: checkHeaderText }),
  oauth: flag("SCHEMA_REGISTRY_OAUTH", "Sends the token that KAFKA_OAUTH_… obtains as bearer token."),
  headers: secret("SCHEMA_REGISTRY_HEADERS", "Headers added to each request, `name=value,name=value`.", {
    check: (text) => void readHeaderPairs(text),
  }),
  caFile: certificates("SCHEMA_REGISTRY_CA_FILE", "CA certificates, PEM."),
} as const;

export const topics = {
  transactionStatus: topic(
    "TOPIC_TRANSACTION_STATUS",
    "fx.transaction-status",
    "Status events (TransactionStatusUpdated), keyed by transactionId.",
  ),
  commands: topic("TOPIC_COMMANDS", "fx.commands", "Commands, Avro or JSON."),
  results: topic(
    "TOPIC_COMMAND_RESULTS",
    "fx.command-results",
    "Results (CommandResult), keyed by commandId.",
  ),
  journal: topic(
    "TOPIC_COMMAND_JOURNAL",
    "fx.command-journal",
    "The journal: who may call the partner. Only the bridge writes to it.",
  ),
  deadLetters: topic("TOPIC_DEAD_LETTERS", "fx.dead-letters", "Dead letters, byte for byte."),
  audit: topic(
    "TOPIC_AUDIT",
    "fx.bridge-audit",
    "Audit entries: what people did with the bridge, as JSON CloudEvents.",
  ),
  control: topic("TOPIC_CONTROL", "fx.bridge-control", "Pauses and their ends; compacted."),
  partitions: integer("TOPIC_PARTITIONS", "6", "Partitions of topics that `setup` creates.", {
    min: 1,
    max: 10_000,
  }),
  replicationFactor: integer(
    "TOPIC_REPLICATION_FACTOR",
    "-1",
    "Replicas of topics that `setup` creates; -1 for the broker's default.",
    { min: -1, max: 32 },
  ),
} as const;
