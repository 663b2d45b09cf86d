import { brokers, endpoint, url } from "../addresses.ts";
import { certificates, privateKey, secretFile } from "../files.ts";
import { checkBearer, pairs, readHeaderPairs } from "../headers.ts";
import { basicUser, durationFrom, flag, integer, oneOf, replicas, text, topic } from "../kinds.ts";
import { always, secret } from "../setting.ts";

const MECHANISMS = ["plain", "scram-sha-256", "scram-sha-512", "oauthbearer", "aws-msk-iam"] as const;

export const kafka = {
  brokers: always(brokers("KAFKA_BROKERS", "Bootstrap brokers, host:port.")),
  clientId: text("KAFKA_CLIENT_ID", "cambio-bridge", "Client id sent to the brokers."),
  groupId: text("KAFKA_GROUP_ID", "cambio-bridge", "Group of the replicas; other groups begin with it."),
  sessionTimeoutMs: durationFrom(6_000)(
    "KAFKA_SESSION_TIMEOUT",
    "30s",
    "A replica that is silent for longer loses its partitions.",
  ),
  tls: flag("KAFKA_TLS", "Connects with TLS."),
  tlsCa: certificates("KAFKA_TLS_CA_FILE", "CA certificates, PEM."),
  tlsCert: certificates("KAFKA_TLS_CERT_FILE", "Client certificate, PEM."),
  tlsKey: privateKey("KAFKA_TLS_KEY_FILE", "Client key, PEM."),
  saslMechanism: oneOf(MECHANISMS)("KAFKA_SASL_MECHANISM", "SASL mechanism; without it there is no SASL."),
  saslUsername: text("KAFKA_SASL_USERNAME", "SASL user."),
  saslPassword: secret("KAFKA_SASL_PASSWORD", "SASL password."),
  oauthTokenEndpoint: endpoint("KAFKA_OAUTH_TOKEN_ENDPOINT", "Token endpoint (client credentials grant)."),
  oauthClientId: text("KAFKA_OAUTH_CLIENT_ID", "Client id there."),
  oauthClientSecret: secret("KAFKA_OAUTH_CLIENT_SECRET", "Client secret there, sent by HTTP Basic."),
  oauthScope: text("KAFKA_OAUTH_SCOPE", "Scopes to request, separated by spaces."),
  oauthAudience: text("KAFKA_OAUTH_AUDIENCE", "Value of `audience` in the token request."),
  oauthExtensions: pairs("KAFKA_OAUTH_EXTENSIONS", "SASL extensions sent with the token."),
  oauthTokenFile: secretFile("KAFKA_OAUTH_TOKEN_FILE", "File with the token, instead of a token endpoint."),
  awsRegion: text("KAFKA_AWS_REGION", "Region of the MSK cluster, for `aws-msk-iam`."),
  allowPlaintext: flag(
    "KAFKA_ALLOW_PLAINTEXT",
    "Allows PLAIN passwords, the registry's password, tokens and client secrets without TLS, and TLS files without KAFKA_TLS.",
  ),
} as const;

export const registry = {
  url: always(url("SCHEMA_REGISTRY_URL", "Confluent-compatible schema registry, without /subjects.")),
  username: basicUser("SCHEMA_REGISTRY_USERNAME", "User for basic authentication."),
  password: secret("SCHEMA_REGISTRY_PASSWORD", "Password for basic authentication."),
  token: secret("SCHEMA_REGISTRY_TOKEN", "Bearer token.", checkBearer),
  oauth: flag("SCHEMA_REGISTRY_OAUTH", "Sends the token that KAFKA_OAUTH_… obtains as bearer token."),
  headers: secret("SCHEMA_REGISTRY_HEADERS", "Headers to add, `name=value,name=value`.", readHeaderPairs),
  ca: certificates("SCHEMA_REGISTRY_CA_FILE", "CA certificates, PEM."),
} as const;

export const topics = {
  transactionStatus: topic("TOPIC_TRANSACTION_STATUS", "fx.transaction-status", "Status events."),
  commands: topic("TOPIC_COMMANDS", "fx.commands", "Commands, Avro or JSON."),
  results: topic("TOPIC_COMMAND_RESULTS", "fx.command-results", "Results, keyed by commandId."),
  journal: topic("TOPIC_COMMAND_JOURNAL", "fx.command-journal", "Who may call the partner; internal."),
  deadLetters: topic("TOPIC_DEAD_LETTERS", "fx.dead-letters", "Dead letters, byte for byte."),
  audit: topic("TOPIC_AUDIT", "fx.bridge-audit", "What people did with the bridge, as JSON CloudEvents."),
  control: topic("TOPIC_CONTROL", "fx.bridge-control", "Pauses and their ends; compacted."),
  partitions: integer(1, 10_000)("TOPIC_PARTITIONS", "6", "Partitions of topics that `setup` creates."),
  replicationFactor: replicas("TOPIC_REPLICATION_FACTOR", "-1", "Their replicas; -1: the broker's default."),
} as const;
