import { decodePercent } from "../runtime/percent.ts";
import { secretsIn } from "../runtime/secret-list.ts";
import type { Config, Problem } from "./config.ts";
import { consoleRules } from "./console-rules.ts";
import { isPair } from "./pem.ts";
import { type Rule, when } from "./rule.ts";
import type { Need } from "./setting.ts";
import { topics as topicSettings } from "./settings/kafka.ts";
import { signInRules, TLS_HINT } from "./sign-in-rules.ts";
import { webhookSecretFault } from "./webhook-secret.ts";

/** Time that a drain needs after the longest call: to publish results, commit, and leave the group. */
const DRAIN_MARGIN_MS = 5_000;

/** Two settings that must be set together. */
const bothOrNeither = (
  [first, firstVariable]: readonly [unknown, string],
  [second, secondVariable]: readonly [unknown, string],
  what: string,
): Problem[] =>
  when(
    (first === undefined) !== (second === undefined),
    first === undefined ? firstVariable : secondVariable,
    `is not set: ${what} go together`,
  );

/** A client certificate and its key are set together, and belong together. */
const certificateAndKey =
  (of: "kafka" | "partner"): Rule =>
  (config) => {
    const { tlsCertFile: cert, tlsKeyFile: key } = config[of];
    const certVariable = `${of.toUpperCase()}_TLS_CERT_FILE`;
    const keyVariable = `${of.toUpperCase()}_TLS_KEY_FILE`;
    return cert === undefined || key === undefined
      ? bothOrNeither([cert, certVariable], [key, keyVariable], "a client certificate and its key")
      : when(!isPair(cert, key), keyVariable, `does not fit the certificate in ${certVariable}`);
  };

/** Certificates are set, so TLS is meant. */
const unusedCertificates: Rule = ({ kafka }) => {
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-boolean-literal-compare -- undefined where it could not be read
  if (kafka.tls !== false || kafka.allowPlaintext) return [];
  const files = [
    [kafka.tlsCaFile, "KAFKA_TLS_CA_FILE"],
    [kafka.tlsCertFile, "KAFKA_TLS_CERT_FILE"],
    [kafka.tlsKeyFile, "KAFKA_TLS_KEY_FILE"],
  ] as const;
  return files.flatMap(([file, variable]) =>
    when(file !== undefined, variable, `is set, but KAFKA_TLS is false, so that it is not used: ${TLS_HINT}`),
  );
};

/** If two topics had one name, results would be read as commands, forever. */
const distinctTopicNames: Rule = ({ topics }) => {
  const variables = new Map<unknown, string>();
  return Object.entries(topicSettings).flatMap(([key, { env: variable }]) => {
    const name = topics[key as keyof typeof topics];
    if (typeof name !== "string") return [];
    const first = variables.get(name);
    if (first === undefined) variables.set(name, variable);
    return when(first !== undefined, variable, `is ${name}, as ${first ?? ""} is: each topic needs its own`);
  });
};

/** For every command that uses Kafka and the registry. */
const kafka: readonly Rule[] = [
  ...signInRules,
  certificateAndKey("kafka"),
  unusedCertificates,
  distinctTopicNames,
  ({ registry }) =>
    bothOrNeither(
      [registry.username, "SCHEMA_REGISTRY_USERNAME"],
      [registry.password, "SCHEMA_REGISTRY_PASSWORD"],
      "a user and its password",
    ),
];

/** For every command that calls the partner. */
const partner: readonly Rule[] = [certificateAndKey("partner")];

const serve: readonly Rule[] = [
  ({ partner, bridge }) =>
    when(
      partner.callTimeoutMs > bridge.shutdownTimeoutMs - DRAIN_MARGIN_MS,
      "PARTNER_CALL_TIMEOUT",
      "is longer than SHUTDOWN_TIMEOUT less 5s: a drain could not wait for an open call",
    ),
  ...partner,
];

/** A URL is not treated as secret: `config` prints it. */
const tokenInPublicUrl: Rule = ({ webhook: { auth, publicUrl, secret } }) => {
  if (auth !== "path-token" || publicUrl === undefined || !secret) return [];
  const { pathname } = new URL(publicUrl);
  const paths = [pathname, decodePercent(pathname)];
  return when(
    secretsIn(secret.reveal()).some((token) => paths.some((path) => path?.endsWith(`/${token}`))),
    "WEBHOOK_PUBLIC_URL",
    "ends with the token of WEBHOOK_SECRET, which is secret: leave the token out",
  );
};

const isWildcardAddress = (host: string): boolean => host === "0.0.0.0" || host === "::";

const webhooks: readonly Rule[] = [
  tokenInPublicUrl,
  ({ webhook }) =>
    when(
      webhook.auth !== undefined && webhook.auth !== "none" && webhook.secret === undefined,
      "WEBHOOK_SECRET",
      `is not set, which WEBHOOK_AUTH=${webhook.auth ?? ""} needs`,
    ),
  ({ webhook }) => {
    const fault = webhook.secret ? webhookSecretFault(webhook.auth, webhook.secret.reveal()) : null;
    return when(fault !== null, "WEBHOOK_SECRET", fault ?? "");
  },
  ({ webhook, management }) =>
    when(
      webhook.port !== 0 &&
        webhook.port === management.port &&
        (webhook.host === management.host || [webhook.host, management.host].some(isWildcardAddress)),
      "WEBHOOK_PORT",
      `is ${webhook.port}, as MANAGEMENT_PORT is: two listeners cannot share a port`,
    ),
  ({ webhook }) =>
    when(
      (webhook.auth === "hmac" || webhook.auth === "header") && webhook.signatureHeader === undefined,
      "WEBHOOK_SIGNATURE_HEADER",
      `is not set, which WEBHOOK_AUTH=${webhook.auth ?? ""} needs`,
    ),
];

const reconcile: readonly Rule[] = [
  ({ reconcile: { windowMs, everyMs, minAgeMs } }) =>
    when(
      windowMs < everyMs + minAgeMs,
      "RECONCILE_WINDOW",
      "is shorter than RECONCILE_EVERY and RECONCILE_MIN_AGE together: no run would look at what lies between",
    ),
  ({ reconcile: { windowMs, lookbackMs } }) =>
    when(
      lookbackMs < windowMs,
      "RECONCILE_LOOKBACK",
      "is shorter than RECONCILE_WINDOW: a start would look at less than every other run does",
    ),
];

const rules = {
  kafka,
  serve,
  partner,
  webhooks,
  commands: [],
  reconcile,
  console: consoleRules,
} as const satisfies Record<Need, readonly Rule[]>;

/**
 * Checks the rules between settings that are valid by themselves. A value that could not be read is undefined
 * here, whatever its type says; the caller drops the problems of such a variable.
 */
export const brokenRules = (config: Config, asked: readonly Need[]): Problem[] =>
  asked.flatMap((need) => rules[need].flatMap((rule) => rule(config)));
