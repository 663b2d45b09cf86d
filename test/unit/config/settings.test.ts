import { expect, test } from "vitest";
import { rows } from "../../../src/config/settings.ts";
import { configOf } from "./environment.ts";

type Row = readonly [variable: string, fallback: string | null, value: unknown];

const none = (...variables: string[]): Row[] => variables.map((variable) => [variable, null, undefined]);

/**
 * Every variable of the public contract, with its default as text and as value. Durations are milliseconds.
 */
const promised: readonly Row[] = [
  ["KAFKA_BROKERS", null, ["kafka-1:9092"]],
  ["KAFKA_CLIENT_ID", "cambio-bridge", "cambio-bridge"],
  ["KAFKA_GROUP_ID", "cambio-bridge", "cambio-bridge"],
  ["KAFKA_SESSION_TIMEOUT", "30s", 30_000],
  ["KAFKA_TLS", "false", false],
  ...none("KAFKA_TLS_CA_FILE", "KAFKA_TLS_CERT_FILE", "KAFKA_TLS_KEY_FILE"),
  ...none("KAFKA_SASL_MECHANISM", "KAFKA_SASL_USERNAME", "KAFKA_SASL_PASSWORD"),
  ...none("KAFKA_OAUTH_TOKEN_ENDPOINT", "KAFKA_OAUTH_CLIENT_ID", "KAFKA_OAUTH_CLIENT_SECRET"),
  ...none("KAFKA_OAUTH_SCOPE", "KAFKA_OAUTH_AUDIENCE", "KAFKA_OAUTH_EXTENSIONS", "KAFKA_OAUTH_TOKEN_FILE"),
  ["KAFKA_AWS_REGION", null, undefined],
  ["KAFKA_ALLOW_PLAINTEXT", "false", false],
  ["SCHEMA_REGISTRY_URL", null, "http://registry:8081"],
  ...none("SCHEMA_REGISTRY_USERNAME", "SCHEMA_REGISTRY_PASSWORD", "SCHEMA_REGISTRY_CA_FILE"),
  ...none("SCHEMA_REGISTRY_TOKEN", "SCHEMA_REGISTRY_HEADERS"),
  ["SCHEMA_REGISTRY_OAUTH", "false", false],
  ["PARTNER_BASE_URL", null, "https://partner.example"],
  ["PARTNER_ACCESS_TOKEN", null, "[secret]"],
  ["PARTNER_X_TOKEN", null, "[secret]"],
  ["PARTNER_NAME", null, "acme"],
  ["PARTNER_SERVICE_NAME", "fx", "fx"],
  ...none("PARTNER_TLS_CA_FILE", "PARTNER_TLS_CERT_FILE", "PARTNER_TLS_KEY_FILE", "PARTNER_PROXY_URL"),
  ["PARTNER_CONNECT_TIMEOUT", "5s", 5_000],
  ["PARTNER_CALL_TIMEOUT", "15s", 15_000],
  ["PARTNER_MAX_CONNECTIONS", "64", 64],
  ["PARTNER_KEEP_ALIVE", "0", 0],
  ["PARTNER_MAX_RPS", null, undefined],
  ["PARTNER_MAX_RESPONSE_BYTES", "65536", 65_536],
  ["PARTNER_ACCEPT_DOUBT_STATUSES", "302,303,409", ["302", "303", "409"]],
  ["PARTNER_BREAKER_FAILURES", "5", 5],
  ["PARTNER_BREAKER_PAUSE", "30s", 30_000],
  ["PARTNER_QUOTE_ID_POINTER", null, undefined],
  ["PARTNER_TRANSACTION_ID_POINTER", null, undefined],
  ...none("PARTNER_LOG_ENTRIES_POINTER", "PARTNER_LOG_NOTIFICATION_POINTER"),
  ["PARTNER_LOG_END_PARAMETER", "endtDate", "endtDate"],
  ["PARTNER_LOG_MAX_BYTES", "268435456", 268_435_456],
  ["PARTNER_PURPOSES", "", []],
  ["PARTNER_CURRENCIES", "", []],
  ["FLOWS", "webhooks,commands,reconcile", ["webhooks", "commands", "reconcile"]],
  ["WEBHOOK_HOST", "0.0.0.0", "0.0.0.0"],
  ["WEBHOOK_PORT", "8080", 8_080],
  ["WEBHOOK_PATH", "/webhooks/transaction-status", "/webhooks/transaction-status"],
  ...none("WEBHOOK_PUBLIC_URL"),
  ["WEBHOOK_AUTH", null, "path-token"],
  ["WEBHOOK_SECRET", null, "[secret]"],
  ["WEBHOOK_SIGNATURE_HEADER", null, undefined],
  ["WEBHOOK_SIGNATURE_PREFIX", "", ""],
  ["WEBHOOK_TOLERANCE", "5m", 300_000],
  ["WEBHOOK_ALLOWED_CIDRS", "", []],
  ["WEBHOOK_TRUSTED_PROXY_CIDRS", "", []],
  ["WEBHOOK_MAX_BODY_BYTES", "65536", 65_536],
  ["WEBHOOK_PUBLISH_TIMEOUT", "5s", 5_000],
  ["WEBHOOK_MAX_IN_FLIGHT", "2048", 2_048],
  ["WEBHOOK_DEDUP_WINDOW", "2h", 7_200_000],
  ["COMMANDS_MAX_IN_FLIGHT", "64", 64],
  ["COMMANDS_MAX_AGE", "15m", 900_000],
  ["COMMANDS_DEADLINE", "2m", 120_000],
  ["RECONCILE_EVERY", "15m", 900_000],
  ["RECONCILE_WINDOW", "26h", 93_600_000],
  ["RECONCILE_LOOKBACK", "72h", 259_200_000],
  ["RECONCILE_MIN_AGE", "10m", 600_000],
  ["MANAGEMENT_HOST", "0.0.0.0", "0.0.0.0"],
  ["MANAGEMENT_PORT", "9090", 9_090],
  ["CONSOLE_HOST", "127.0.0.1", "127.0.0.1"],
  ["CONSOLE_PORT", "8091", 8_091],
  ["CONSOLE_AUTH", "none", "none"],
  ["CONSOLE_USERS_FILE", null, undefined],
  ["CONSOLE_USER_HEADER", "X-Forwarded-User", "X-Forwarded-User"],
  ["CONSOLE_TRUSTED_PROXY_CIDRS", "", []],
  ["CONSOLE_OPERATORS", "", []],
  ["CONSOLE_FOUR_EYES", "false", false],
  ["CONSOLE_ORIGIN", null, undefined],
  ["CONSOLE_PARTNER_CONTACT", null, undefined],
  ["CONSOLE_RUNBOOK_URL", null, undefined],
  ["TOPIC_TRANSACTION_STATUS", "fx.transaction-status", "fx.transaction-status"],
  ["TOPIC_COMMANDS", "fx.commands", "fx.commands"],
  ["TOPIC_COMMAND_RESULTS", "fx.command-results", "fx.command-results"],
  ["TOPIC_COMMAND_JOURNAL", "fx.command-journal", "fx.command-journal"],
  ["TOPIC_DEAD_LETTERS", "fx.dead-letters", "fx.dead-letters"],
  ["TOPIC_AUDIT", "fx.bridge-audit", "fx.bridge-audit"],
  ["TOPIC_CONTROL", "fx.bridge-control", "fx.bridge-control"],
  ["TOPIC_PARTITIONS", "6", 6],
  ["TOPIC_REPLICATION_FACTOR", "-1", -1],
  ["LOG_LEVEL", "info", "info"],
  ["SHUTDOWN_TIMEOUT", "25s", 25_000],
  ["SETUP_ON_START", "false", false],
  ["OTEL_SDK_DISABLED", "false", false],
  ["OTEL_TRACES_EXPORTER", "otlp", "otlp"],
  ...none("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf", "http/protobuf"],
  ...none("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"),
  ["OTEL_PROPAGATORS", "tracecontext,baggage", ["tracecontext", "baggage"]],
];

const rowOf = (variable: string) => {
  const row = rows.find(({ env }) => env === variable);
  if (!row) throw new Error(`there is no setting ${variable}`);
  return row;
};

test("there are these settings and no others", () => {
  expect(rows.map(({ env }) => env).sort()).toEqual(promised.map(([variable]) => variable).sort());
});

test.each(promised)("%s: default %s, read as %j", (variable, fallback, value) => {
  const { group, key, fallback: written } = rowOf(variable);
  expect(written).toBe(fallback);
  const config = configOf({}) as unknown as Record<string, Record<string, unknown>>;
  const found = config[group]?.[key];
  expect(value === "[secret]" ? String(found) : found).toEqual(value);
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

test("every setting is explained in a sentence", () => {
  for (const { env, help } of rows) expect(help, env).toMatch(/^[A-Z].*\.$/);
});
