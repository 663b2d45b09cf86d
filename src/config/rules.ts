import { secretsIn } from "../runtime/secret-list.ts";
import { standardKeyBytes } from "../runtime/standard-key.ts";
import type { Config, Problem, Purpose } from "./config.ts";

/** What a drain needs beyond the longest call: publishing results, committing, leaving the group. */
const DRAIN_MARGIN_MS = 5_000;

/** What is known when rules are asked. `flows` is empty where FLOWS could not be read. */
export type Circumstances = { purpose: Purpose; flows: readonly string[] };

type Rule = (config: Config) => Problem | false;

const needs = (condition: boolean, variable: string, message: string): Problem | false =>
  condition && { variable, message };

/** A certificate and its key, or a user and a password. */
const together = (
  [first, firstVariable]: readonly [unknown, string],
  [second, secondVariable]: readonly [unknown, string],
  what: string,
): Problem | false =>
  needs(
    (first === undefined) !== (second === undefined),
    first === undefined ? firstVariable : secondVariable,
    `is not set: ${what} go together`,
  );

/** For whatever touches Kafka and the registry. */
const always: readonly Rule[] = [
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
      kafka.saslMechanism === undefined && kafka.saslPassword !== undefined,
      "KAFKA_SASL_MECHANISM",
      "is not set, so that KAFKA_SASL_PASSWORD would not be used",
    ),
  ({ kafka }) =>
    together(
      [kafka.tlsCertFile, "KAFKA_TLS_CERT_FILE"],
      [kafka.tlsKeyFile, "KAFKA_TLS_KEY_FILE"],
      "a client certificate and its key",
    ),
  ({ registry }) =>
    together(
      [registry.username, "SCHEMA_REGISTRY_USERNAME"],
      [registry.password, "SCHEMA_REGISTRY_PASSWORD"],
      "a user and its password",
    ),
];

const serving: readonly Rule[] = [
  ({ partner, bridge }) =>
    needs(
      partner.callTimeoutMs > bridge.shutdownTimeoutMs - DRAIN_MARGIN_MS,
      "PARTNER_CALL_TIMEOUT",
      "is longer than SHUTDOWN_TIMEOUT less 5s: a drain could not wait for an open call",
    ),
  ({ partner }) =>
    together(
      [partner.tlsCertFile, "PARTNER_TLS_CERT_FILE"],
      [partner.tlsKeyFile, "PARTNER_TLS_KEY_FILE"],
      "a client certificate and its key",
    ),
];

const webhooks: readonly Rule[] = [
  ({ webhook }) =>
    needs(
      webhook.auth !== undefined && webhook.auth !== "none" && webhook.secret === undefined,
      "WEBHOOK_SECRET",
      `is not set, which WEBHOOK_AUTH=${webhook.auth ?? ""} needs`,
    ),
  ({ webhook }) =>
    needs(
      webhook.auth !== "none" &&
        webhook.secret !== undefined &&
        secretsIn(webhook.secret.reveal()).length === 0,
      "WEBHOOK_SECRET",
      "holds nothing but commas",
    ),
  ({ webhook }) =>
    needs(
      webhook.auth === "standard-webhooks" &&
        secretsIn(webhook.secret?.reveal() ?? "").some((secret) => standardKeyBytes(secret) === null),
      "WEBHOOK_SECRET",
      "holds a secret that is not base64 (usually after whsec_), which WEBHOOK_AUTH=standard-webhooks needs",
    ),
  ({ webhook }) =>
    needs(
      (webhook.auth === "hmac" || webhook.auth === "header") && webhook.signatureHeader === undefined,
      "WEBHOOK_SIGNATURE_HEADER",
      `is not set, which WEBHOOK_AUTH=${webhook.auth ?? ""} needs`,
    ),
];

/**
 * What must hold between settings that are each fine by themselves: every rule that is broken. A value that could not be read is
 * undefined here, whatever its type says; the caller passes over what is said of it.
 */
export const contradictions = (config: Config, { purpose, flows }: Circumstances): Problem[] => {
  const asked = [
    ...always,
    ...(purpose === "serve" ? serving : []),
    ...(purpose === "serve" && flows.includes("webhooks") ? webhooks : []),
  ];
  return asked.map((rule) => rule(config)).filter((problem) => problem !== false);
};
