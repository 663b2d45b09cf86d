import { isLoopback } from "../runtime/cidr.ts";
import { decodePercent } from "../runtime/percent.ts";
import { itemsIn } from "../runtime/secret-list.ts";
import { isPrivateUrl } from "./addresses.ts";
import type { Config, SettingProblem } from "./config.ts";
import { isPair, usersFileFault } from "./files.ts";
import { webhookSecretFault } from "./own-secrets.ts";
import type { Need } from "./setting.ts";
import { rows } from "./settings.ts";

/** Says what is wrong with a variable, as the end of a sentence "VARIABLE …"; otherwise returns anything but a text. */
type Fault = (config: Config) => string | false | null | undefined;
type Rule = readonly [need: Need, variable: string, fault: Fault];
/** Names what makes a setting necessary, as `NAME=value` or `NAME`; false where nothing does. */
type Reason = (config: Config) => string | false;

const valueOf = (config: Config, variable: string): unknown => {
  const { group = "", key = "" } = rows.find(({ env }) => env === variable) ?? {};
  return (config as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[group]?.[key];
};
const isSet = (config: Config, variable: string): boolean =>
  ![undefined, false].includes(valueOf(config, variable) as boolean);

/** Requires each of the variables where there is a reason. */
const requireFor = (need: Need, variables: readonly string[], reasonIn: Reason): Rule[] =>
  variables.map((variable) => {
    const fault: Fault = (config) => {
      const reason = !isSet(config, variable) && reasonIn(config);
      return reason !== false && `is not set, which ${reason} needs`;
    };
    return [need, variable, fault];
  });

/** A setting is the reason where its value matches, or without a pattern where it is set at all. */
const settingReason =
  (variable: string, pattern?: RegExp): Reason =>
  (config) => {
    if (pattern === undefined) return isSet(config, variable) && variable;
    const value = valueOf(config, variable) as string | boolean | undefined;
    return pattern.test(String(value ?? "")) && `${variable}=${value}`;
  };

const requireBothOrNone = (need: Need, one: string, other: string): Rule[] => [
  ...requireFor(need, [one], settingReason(other)),
  ...requireFor(need, [other], settingReason(one)),
];

/** Forbids two of the variables to clash: the later one has the problem. */
const forbidClashes = (
  variables: readonly string[],
  doClash: (config: Config, one: string, other: string) => boolean,
  sentence: (other: string) => string,
): Rule[] =>
  variables.map((variable, index) => {
    const fault: Fault = (config) => {
      const other = variables.slice(0, index).find((earlier) => doClash(config, variable, earlier));
      return other && sentence(other);
    };
    return ["kafka", variable, fault];
  });

const IN_SECRET = "on a network that nobody can eavesdrop on";
const TLS_HINT = `set KAFKA_TLS=true, or KAFKA_ALLOW_PLAINTEXT=true ${IN_SECRET}`;
const HTTPS_HINT = `use https, or set KAFKA_ALLOW_PLAINTEXT=true ${IN_SECRET}`;

const isWithoutTls = ({ kafka }: Config): boolean => "tls" in kafka && !kafka.tls && !kafka.allowPlaintext;

const tlsFileUnused = (variable: string): Rule => {
  const sentence = `is set, but KAFKA_TLS is false, so that it is not used: ${TLS_HINT}`;
  return ["kafka", variable, (config) => isWithoutTls(config) && isSet(config, variable) && sentence];
};

/** A forgotten mechanism is not taken for none. */
const signInReason: Reason = ({ kafka, registry }) => {
  if (kafka.saslPassword !== undefined) return "KAFKA_SASL_PASSWORD";
  if (registry.oauth) return false;
  if (kafka.oauthTokenEndpoint !== undefined) return "KAFKA_OAUTH_TOKEN_ENDPOINT";
  return kafka.oauthTokenFile !== undefined && "KAFKA_OAUTH_TOKEN_FILE";
};

/** Tokens come by the client credentials grant, or from a file; one that could not be read has a problem already. */
const tokenReason: Reason = (config) => {
  const hasFile = !("oauthTokenFile" in config.kafka) || config.kafka.oauthTokenFile !== undefined;
  const mechanism = settingReason("KAFKA_SASL_MECHANISM", /^oauth/)(config);
  return !hasFile && (mechanism || settingReason("SCHEMA_REGISTRY_OAUTH", /true/)(config));
};

const TOKEN_SETTINGS = ["KAFKA_OAUTH_TOKEN_ENDPOINT", "KAFKA_OAUTH_CLIENT_ID", "KAFKA_OAUTH_CLIENT_SECRET"];

const oneSignIn = forbidClashes(
  ["SCHEMA_REGISTRY_USERNAME", "SCHEMA_REGISTRY_TOKEN", "SCHEMA_REGISTRY_OAUTH"],
  (config, ...both) => both.every((variable) => isSet(config, variable)),
  (other) => `is set together with ${other}: set one of them`,
);

/** Kafka takes a dot and `_` for the same. */
const topicName = (config: Config, variable: string): string =>
  String(valueOf(config, variable)).replaceAll(".", "_");

/** If two topics had one name, results would be read as commands, forever. */
const distinctTopics = forbidClashes(
  rows.filter(({ shape }) => shape === "topic").map(({ env }) => env),
  (config, one, other) => topicName(config, one) === topicName(config, other),
  (other) => `is the same as ${other} (to Kafka a dot is a _): each topic needs a name of its own`,
);

const clientCertificate = (need: Need, of: "kafka" | "partner"): Rule[] => {
  const [cert, key] = [`${of.toUpperCase()}_TLS_CERT_FILE`, `${of.toUpperCase()}_TLS_KEY_FILE`] as const;
  const isOther: Fault = ({ [of]: { tlsCert, tlsKey } }) =>
    tlsCert && tlsKey && !isPair(tlsCert, tlsKey) && `does not fit the certificate in ${cert}`;
  return [...requireBothOrNone(need, cert, key), [need, key, isOther]];
};

/** Time that a drain needs after the longest call: to publish results, commit, and leave the group. */
const DRAIN_MARGIN_MS = 5_000;

const faults: { readonly [N in Need]?: Readonly<Record<string, Fault>> } = {
  kafka: {
    KAFKA_SASL_MECHANISM: (config) => {
      // SCRAM never sends the password.
      const { saslMechanism: mechanism = "scram" } = config.kafka;
      const sent = mechanism === "plain" ? "password" : "token";
      const sentence = `is ${mechanism}, but KAFKA_TLS is false, so that the ${sent} goes out in clear: ${TLS_HINT}`;
      return isWithoutTls(config) && !mechanism.startsWith("scram") && sentence;
    },
    KAFKA_OAUTH_TOKEN_ENDPOINT: ({ kafka: { oauthTokenEndpoint: endpoint, allowPlaintext } }) =>
      endpoint !== undefined &&
      !allowPlaintext &&
      !isPrivateUrl(endpoint) &&
      `is not https, so that the client secret goes out in clear: ${HTTPS_HINT}`,
    SCHEMA_REGISTRY_URL: ({ kafka, registry }) => {
      const { oauth: OAUTH, token: TOKEN, password: PASSWORD } = registry;
      const name = Object.entries({ OAUTH, TOKEN, PASSWORD }).find(([, value]) => value)?.[0];
      const isInClear = name && !kafka.allowPlaintext && "url" in registry && !isPrivateUrl(registry.url);
      return isInClear && `is not https, so that SCHEMA_REGISTRY_${name} goes out in clear: ${HTTPS_HINT}`;
    },
  },
  serve: {
    PARTNER_CALL_TIMEOUT: ({ partner, bridge }) =>
      partner.callTimeoutMs > bridge.shutdownTimeoutMs - DRAIN_MARGIN_MS &&
      "is longer than SHUTDOWN_TIMEOUT less 5s: a drain could not wait for an open call",
  },
  commands: {
    PARTNER_MAX_CONNECTIONS: (config) =>
      config.partner.maxConnections === 1 &&
      [valueOf(config, "FLOWS")].flat().includes("reconcile") &&
      "is 1, but the partner's log needs one beside those of commands: set 2, or leave reconcile out of FLOWS",
  },
  webhooks: {
    WEBHOOK_SECRET: ({ webhook: { auth, secret } }) => secret && webhookSecretFault(auth, secret.reveal()),
    WEBHOOK_PUBLIC_URL: ({ webhook: { auth, publicUrl, secret } }) => {
      if (auth !== "path-token" || publicUrl === undefined || !secret) return null;
      const { pathname } = new URL(publicUrl);
      const paths = [pathname, decodePercent(pathname)];
      const isShown = (token: string): boolean => paths.some((path) => path?.endsWith(`/${token}`));
      // A URL is not treated as secret: `config` prints it.
      const sentence = "ends with the token of WEBHOOK_SECRET, which is secret: leave the token out";
      return itemsIn(secret.reveal()).some(isShown) && sentence;
    },
    WEBHOOK_PORT: ({ webhook, management }) =>
      webhook.port !== 0 &&
      webhook.port === management.port &&
      (webhook.host === management.host ||
        [webhook.host, management.host].some((host) => host === "0.0.0.0" || host === "::")) &&
      `is ${webhook.port}, as MANAGEMENT_PORT is: two listeners cannot share a port`,
  },
  reconcile: {
    RECONCILE_WINDOW: ({ reconcile: { windowMs, everyMs, minAgeMs } }) =>
      windowMs < everyMs + minAgeMs &&
      "is shorter than RECONCILE_EVERY and RECONCILE_MIN_AGE together: no run would look at what lies between",
  },
  console: {
    CONSOLE_HOST: ({ console: { auth, host } }) =>
      auth === "none" &&
      !isLoopback(host) &&
      `is ${host}, but CONSOLE_AUTH is none, so that anybody could read it: set CONSOLE_AUTH, or leave it at 127.0.0.1`,
    CONSOLE_USERS_FILE: ({ console: { auth, usersFile: file } }) =>
      auth === "basic" && file !== undefined && usersFileFault(file),
    CONSOLE_TRUSTED_PROXY_CIDRS: ({ console: { auth, trustedProxyCidrs } }) =>
      auth === "proxy-header" &&
      trustedProxyCidrs.length === 0 &&
      "is not set, which CONSOLE_AUTH=proxy-header needs: name the proxies, or anybody could claim to be any user",
  },
};

const SASL_USER = ["KAFKA_SASL_USERNAME", "KAFKA_SASL_PASSWORD"];
const rules: readonly Rule[] = [
  ...requireFor("kafka", ["KAFKA_SASL_MECHANISM"], signInReason),
  ...requireFor("kafka", SASL_USER, settingReason("KAFKA_SASL_MECHANISM", /^(plain|s)/)),
  ...requireFor("kafka", ["KAFKA_AWS_REGION"], settingReason("KAFKA_SASL_MECHANISM", /^aws/)),
  ...requireFor("kafka", TOKEN_SETTINGS, tokenReason),
  ...clientCertificate("kafka", "kafka"),
  ...["KAFKA_TLS_CA_FILE", "KAFKA_TLS_CERT_FILE", "KAFKA_TLS_KEY_FILE"].map(tlsFileUnused),
  ...requireBothOrNone("kafka", "SCHEMA_REGISTRY_USERNAME", "SCHEMA_REGISTRY_PASSWORD"),
  ...oneSignIn,
  ...distinctTopics,
  ...clientCertificate("serve", "partner"),
  ...clientCertificate("partner", "partner"),
  ...requireFor("webhooks", ["WEBHOOK_SECRET"], settingReason("WEBHOOK_AUTH", /^(?!none$)./)),
  ...requireFor("webhooks", ["WEBHOOK_SIGNATURE_HEADER"], settingReason("WEBHOOK_AUTH", /^(hmac|header)$/)),
  ...requireFor("console", ["CONSOLE_USERS_FILE"], settingReason("CONSOLE_AUTH", /^basic$/)),
  ...Object.entries(faults).flatMap(([need, byVariable]) =>
    Object.entries(byVariable).map(([variable, fault]): Rule => [need as Need, variable, fault]),
  ),
];

/** Settings of `broken` could not be read: they are missing in the configuration, whatever its type says. */
export const brokenRules = (config: Config, needs: readonly Need[], broken: Set<string>): SettingProblem[] =>
  rules
    .filter(([need, variable]) => needs.includes(need) && !broken.has(variable))
    .flatMap(([, variable, fault]) => {
      const message = fault(config);
      return typeof message === "string" ? [{ variable, message }] : [];
    });
