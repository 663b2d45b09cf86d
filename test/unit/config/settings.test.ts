import { expect, test } from "vitest";
import { rows } from "../../../src/config/settings.ts";
import { configOf } from "./environment.ts";

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
