import { expect, test } from "vitest";
import { rows } from "../../../src/config/settings.ts";
import { configOf } from "./environment.ts";

/** Every variable of the public contract that has a default. */
const DEFAULTS: Record<string, string> = {
  KAFKA_CLIENT_ID: "cambio-bridge",
  KAFKA_GROUP_ID: "cambio-bridge",
  KAFKA_SESSION_TIMEOUT: "30s",
  KAFKA_TLS: "false",
  KAFKA_ALLOW_PLAINTEXT: "false",
  SCHEMA_REGISTRY_OAUTH: "false",
  PARTNER_SERVICE_NAME: "fx",
  PARTNER_CONNECT_TIMEOUT: "5s",
  PARTNER_CALL_TIMEOUT: "15s",
  PARTNER_MAX_CONNECTIONS: "64",
  PARTNER_KEEP_ALIVE: "0",
  PARTNER_MAX_RESPONSE_BYTES: "65536",
  PARTNER_ACCEPT_DOUBT_STATUSES: "302,303,409",
  PARTNER_BREAKER_FAILURES: "5",
  PARTNER_BREAKER_PAUSE: "30s",
  PARTNER_LOG_END_PARAMETER: "endtDate",
  PARTNER_LOG_MAX_BYTES: "268435456",
  PARTNER_PURPOSES: "",
  PARTNER_CURRENCIES: "",
  FLOWS: "webhooks,commands,reconcile",
  WEBHOOK_HOST: "0.0.0.0",
  WEBHOOK_PORT: "8080",
  WEBHOOK_PATH: "/webhooks/transaction-status",
  WEBHOOK_SIGNATURE_PREFIX: "",
  WEBHOOK_TOLERANCE: "5m",
  WEBHOOK_ALLOWED_CIDRS: "",
  WEBHOOK_TRUSTED_PROXY_CIDRS: "",
  WEBHOOK_MAX_BODY_BYTES: "65536",
  WEBHOOK_PUBLISH_TIMEOUT: "5s",
  WEBHOOK_MAX_IN_FLIGHT: "2048",
  WEBHOOK_DEDUP_WINDOW: "2h",
  COMMANDS_MAX_IN_FLIGHT: "64",
  COMMANDS_MAX_AGE: "15m",
  COMMANDS_DEADLINE: "2m",
  RECONCILE_EVERY: "15m",
  RECONCILE_WINDOW: "26h",
  RECONCILE_LOOKBACK: "72h",
  RECONCILE_MIN_AGE: "10m",
  MANAGEMENT_HOST: "0.0.0.0",
  MANAGEMENT_PORT: "9090",
  CONSOLE_HOST: "127.0.0.1",
  CONSOLE_PORT: "8091",
  CONSOLE_AUTH: "none",
  CONSOLE_USER_HEADER: "X-Forwarded-User",
  CONSOLE_TRUSTED_PROXY_CIDRS: "",
  CONSOLE_OPERATORS: "",
  CONSOLE_FOUR_EYES: "false",
  TOPIC_TRANSACTION_STATUS: "fx.transaction-status",
  TOPIC_COMMANDS: "fx.commands",
  TOPIC_COMMAND_RESULTS: "fx.command-results",
  TOPIC_COMMAND_JOURNAL: "fx.command-journal",
  TOPIC_DEAD_LETTERS: "fx.dead-letters",
  TOPIC_AUDIT: "fx.bridge-audit",
  TOPIC_CONTROL: "fx.bridge-control",
  TOPIC_PARTITIONS: "6",
  TOPIC_REPLICATION_FACTOR: "-1",
  LOG_LEVEL: "info",
  SHUTDOWN_TIMEOUT: "25s",
  SETUP_ON_START: "false",
  OTEL_SDK_DISABLED: "false",
  OTEL_TRACES_EXPORTER: "otlp",
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
  OTEL_PROPAGATORS: "tracecontext,baggage",
};

/** Those that have none. */
const WITHOUT = `
  KAFKA_BROKERS KAFKA_AWS_REGION SCHEMA_REGISTRY_URL PARTNER_BASE_URL PARTNER_ACCESS_TOKEN PARTNER_X_TOKEN
  PARTNER_NAME PARTNER_MAX_RPS PARTNER_QUOTE_ID_POINTER PARTNER_TRANSACTION_ID_POINTER WEBHOOK_AUTH
  WEBHOOK_SECRET WEBHOOK_SIGNATURE_HEADER CONSOLE_USERS_FILE CONSOLE_ORIGIN CONSOLE_PARTNER_CONTACT
  CONSOLE_RUNBOOK_URL KAFKA_TLS_CA_FILE KAFKA_TLS_CERT_FILE KAFKA_TLS_KEY_FILE KAFKA_SASL_MECHANISM
  KAFKA_SASL_USERNAME KAFKA_SASL_PASSWORD KAFKA_OAUTH_TOKEN_ENDPOINT KAFKA_OAUTH_CLIENT_ID
  KAFKA_OAUTH_CLIENT_SECRET KAFKA_OAUTH_SCOPE KAFKA_OAUTH_AUDIENCE KAFKA_OAUTH_EXTENSIONS
  KAFKA_OAUTH_TOKEN_FILE SCHEMA_REGISTRY_USERNAME SCHEMA_REGISTRY_PASSWORD SCHEMA_REGISTRY_CA_FILE
  COMMANDS_MAX_AMOUNT SCHEMA_REGISTRY_TOKEN SCHEMA_REGISTRY_HEADERS PARTNER_TLS_CA_FILE PARTNER_TLS_CERT_FILE
  PARTNER_TLS_KEY_FILE PARTNER_PROXY_URL PARTNER_LOG_ENTRIES_POINTER PARTNER_LOG_NOTIFICATION_POINTER
  WEBHOOK_PUBLIC_URL OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL
`;

test("there are these settings with these defaults, and no others", () => {
  const without = WITHOUT.trim()
    .split(/\s+/)
    .map((name): [string, null] => [name, null]);
  expect(Object.fromEntries(rows.map(({ env, fallback }) => [env, fallback]))).toEqual({
    ...DEFAULTS,
    ...Object.fromEntries(without),
  });
  for (const { env, help } of rows) expect(help, env).toMatch(/^[A-Z].*\.$/);
});

test("defaults are read as what they mean; durations are milliseconds", () => {
  expect(configOf({})).toMatchObject({
    kafka: { brokers: ["kafka-1:9092"], sessionTimeoutMs: 30_000, tls: false, saslMechanism: undefined },
    partner: { callTimeoutMs: 15_000, keepAliveMs: 0, doubtStatuses: ["302", "303", "409"], purposes: [] },
    bridge: { flows: ["webhooks", "commands", "reconcile"], shutdownTimeoutMs: 25_000 },
    webhook: { port: 8_080, allowedCidrs: [], signaturePrefix: "", dedupWindowMs: 7_200_000 },
    reconcile: { windowMs: 93_600_000 },
    topics: { partitions: 6, replicationFactor: -1 },
  });
});

test("exactly these are secrets, and so have a variable with _FILE", () => {
  const secrets = rows.filter(({ secret }) => secret).map(({ env }) => env);
  expect(secrets.sort()).toEqual([
    "KAFKA_OAUTH_CLIENT_SECRET",
    "KAFKA_SASL_PASSWORD",
    "PARTNER_ACCESS_TOKEN",
    "PARTNER_PROXY_URL",
    "PARTNER_X_TOKEN",
    "SCHEMA_REGISTRY_HEADERS",
    "SCHEMA_REGISTRY_PASSWORD",
    "SCHEMA_REGISTRY_TOKEN",
    "WEBHOOK_SECRET",
  ]);
});
