import type { Config, Problem } from "./config.ts";

/** What a drain needs beyond the longest call: publishing results, committing, leaving the group. */
const DRAIN_MARGIN_MS = 5_000;

type Rule = (config: Config) => Problem | false;

const needs = (condition: boolean, variable: string, message: string): Problem | false =>
  condition && { variable, message };

const webhooksOn = (config: Config): boolean => config.bridge.flows.includes("webhooks");

/** What must hold between settings that are each fine by themselves. */
const rules: readonly Rule[] = [
  ({ partner, bridge }) =>
    needs(
      partner.callTimeoutMs > bridge.shutdownTimeoutMs - DRAIN_MARGIN_MS,
      "PARTNER_CALL_TIMEOUT",
      "is longer than SHUTDOWN_TIMEOUT less 5s: a drain could not wait for an open call",
    ),
  (config) =>
    needs(
      webhooksOn(config) &&
        config.webhook.auth !== "none" &&
        config.webhook.auth !== undefined &&
        !config.webhook.secret,
      "WEBHOOK_SECRET",
      `is not set, which WEBHOOK_AUTH=${config.webhook.auth ?? ""} needs`,
    ),
  (config) =>
    needs(
      webhooksOn(config) &&
        (config.webhook.auth === "hmac" || config.webhook.auth === "header") &&
        config.webhook.signatureHeader === undefined,
      "WEBHOOK_SIGNATURE_HEADER",
      `is not set, which WEBHOOK_AUTH=${config.webhook.auth ?? ""} needs`,
    ),
  ({ kafka }) =>
    needs(
      kafka.saslMechanism !== undefined && kafka.saslUsername === undefined,
      "KAFKA_SASL_USERNAME",
      "is not set, which KAFKA_SASL_MECHANISM needs",
    ),
  ({ kafka }) =>
    needs(
      kafka.saslMechanism !== undefined && kafka.saslPassword === undefined,
      "KAFKA_SASL_PASSWORD",
      "is not set, which KAFKA_SASL_MECHANISM needs",
    ),
  ({ kafka }) =>
    needs(
      (kafka.tlsCertFile === undefined) !== (kafka.tlsKeyFile === undefined),
      kafka.tlsCertFile === undefined ? "KAFKA_TLS_CERT_FILE" : "KAFKA_TLS_KEY_FILE",
      "is not set: a client certificate and its key go together",
    ),
  ({ partner }) =>
    needs(
      (partner.tlsCertFile === undefined) !== (partner.tlsKeyFile === undefined),
      partner.tlsCertFile === undefined ? "PARTNER_TLS_CERT_FILE" : "PARTNER_TLS_KEY_FILE",
      "is not set: a client certificate and its key go together",
    ),
  ({ registry }) =>
    needs(
      (registry.username === undefined) !== (registry.password === undefined),
      registry.username === undefined ? "SCHEMA_REGISTRY_USERNAME" : "SCHEMA_REGISTRY_PASSWORD",
      "is not set: a user and its password go together",
    ),
];

/** Every rule that the configuration breaks. Rules about values that could not be read are passed over by the caller. */
export const contradictions = (config: Config): Problem[] =>
  rules.map((rule) => rule(config)).filter((problem) => problem !== false);
