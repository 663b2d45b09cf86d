import { isLoopback } from "../runtime/cidr.ts";
import { decodePercent } from "../runtime/percent.ts";
import { secretsIn } from "../runtime/secret-list.ts";
import { isPrivateUrl } from "./addresses.ts";
import type { Config, SettingProblem } from "./config.ts";
import { isPair, usersFileFault } from "./files.ts";
import { webhookSecretFault } from "./own-secrets.ts";
import type { Need } from "./setting.ts";
import { rows } from "./settings.ts";

/** What is wrong with the variable, as the end of a sentence "VARIABLE …"; otherwise anything but a text. */
type Fault = (config: Config) => string | false | null | undefined;
type Rule = readonly [need: Need, variable: string, fault: Fault];
/** What makes a setting necessary, as `NAME=value` or `NAME`. */
type Reason = (config: Config) => string | false;

const valueOf = (config: Config, variable: string): unknown => {
  const { group = "", key = "" } = rows.find(({ env }) => env === variable) ?? {};
  return (config as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[group]?.[key];
};
const isSet = (config: Config, variable: string): boolean =>
  ![undefined, false].includes(valueOf(config, variable) as boolean);

const needed = (need: Need, variables: readonly string[], by: Reason): Rule[] =>
  variables.map((variable) => {
    const fault: Fault = (config) => {
      const reason = !isSet(config, variable) && by(config);
      return reason !== false && `is not set, which ${reason} needs`;
    };
    return [need, variable, fault];
  });

/** The setting as `NAME=value` where its value is like this, or as `NAME` where it is set at all. */
const by =
  (variable: string, pattern?: RegExp): Reason =>
  (config) => {
    if (pattern === undefined) return isSet(config, variable) && variable;
    const value = valueOf(config, variable) as string | boolean | undefined;
    return pattern.test(String(value ?? "")) && `${variable}=${value}`;
  };

const together = (need: Need, one: string, other: string): Rule[] => [
  ...needed(need, [one], by(other)),
  ...needed(need, [other], by(one)),
];

/** No two of these variables may clash: the later one has the problem. */
const apart = (
  variables: readonly string[],
  clash: (config: Config, one: string, other: string) => boolean,
  says: (other: string) => string,
): Rule[] =>
  variables.map((variable, index) => {
    const fault: Fault = (config) => {
      const other = variables.slice(0, index).find((each) => clash(config, variable, each));
      return other && says(other);
    };
    return ["kafka", variable, fault];
  });

// Kafka and the registry

const IN_SECRET = "on a network that nobody can eavesdrop on";
const TLS_HINT = `set KAFKA_TLS=true, or KAFKA_ALLOW_PLAINTEXT=true ${IN_SECRET}`;
const HTTPS_HINT = `use https, or set KAFKA_ALLOW_PLAINTEXT=true ${IN_SECRET}`;

const isWithoutTls = ({ kafka }: Config): boolean => "tls" in kafka && !kafka.tls && !kafka.allowPlaintext;

/** SCRAM never sends the password. */
const mechanismInClear: Fault = (config) => {
  const { saslMechanism: mechanism = "scram" } = config.kafka;
  const sent = mechanism === "plain" ? "password" : "token";
  const says = `is ${mechanism}, but KAFKA_TLS is false, so that the ${sent} goes out in clear: ${TLS_HINT}`;
  return isWithoutTls(config) && !mechanism.startsWith("scram") && says;
};

const tlsFileUnused = (variable: string): Rule => {
  const says = `is set, but KAFKA_TLS is false, so that it is not used: ${TLS_HINT}`;
  return ["kafka", variable, (config) => isWithoutTls(config) && isSet(config, variable) && says];
};

/** A forgotten mechanism is not taken for none. */
const byWhatItUses: Reason = ({ kafka, registry }) => {
  if (kafka.saslPassword !== undefined) return "KAFKA_SASL_PASSWORD";
  if (registry.oauth) return false;
  if (kafka.oauthTokenEndpoint !== undefined) return "KAFKA_OAUTH_TOKEN_ENDPOINT";
  return kafka.oauthTokenFile !== undefined && "KAFKA_OAUTH_TOKEN_FILE";
};

/** Tokens come by the client credentials grant, or from a file; one that could not be read has a problem already. */
const byToken: Reason = (config) => {
  const hasFile = !("oauthTokenFile" in config.kafka) || config.kafka.oauthTokenFile !== undefined;
  const byMechanism = by("KAFKA_SASL_MECHANISM", /^oauth/)(config);
  return !hasFile && (byMechanism || by("SCHEMA_REGISTRY_OAUTH", /true/)(config));
};

const CLIENT = ["KAFKA_OAUTH_TOKEN_ENDPOINT", "KAFKA_OAUTH_CLIENT_ID", "KAFKA_OAUTH_CLIENT_SECRET"];

const endpointInClear: Fault = ({ kafka: { oauthTokenEndpoint: endpoint, allowPlaintext } }) =>
  endpoint !== undefined &&
  !allowPlaintext &&
  !isPrivateUrl(endpoint) &&
  `is not https, so that the client secret goes out in clear: ${HTTPS_HINT}`;

const registryInClear: Fault = ({ kafka, registry }) => {
  const { oauth: OAUTH, token: TOKEN, password: PASSWORD } = registry;
  const name = Object.entries({ OAUTH, TOKEN, PASSWORD }).find(([, value]) => value)?.[0];
  const isInClear = name && !kafka.allowPlaintext && "url" in registry && !isPrivateUrl(registry.url);
  return isInClear && `is not https, so that SCHEMA_REGISTRY_${name} goes out in clear: ${HTTPS_HINT}`;
};

const oneSignIn = apart(
  ["SCHEMA_REGISTRY_USERNAME", "SCHEMA_REGISTRY_TOKEN", "SCHEMA_REGISTRY_OAUTH"],
  (config, ...both) => both.every((variable) => isSet(config, variable)),
  (other) => `is set together with ${other}: set one of them`,
);

/** Kafka takes a dot and `_` for the same. */
const topicName = (config: Config, variable: string): string =>
  String(valueOf(config, variable)).replaceAll(".", "_");

/** If two topics had one name, results would be read as commands, forever. */
const distinctTopics = apart(
  rows.filter(({ shape }) => shape === "topic").map(({ env }) => env),
  (config, one, other) => topicName(config, one) === topicName(config, other),
  (other) => `is the same as ${other} (to Kafka a dot is a _): each topic needs a name of its own`,
);

// The partner and the flows

/** Time that a drain needs after the longest call: to publish results, commit, and leave the group. */
const DRAIN_MARGIN_MS = 5_000;

const callTimeout: Fault = ({ partner, bridge }) =>
  partner.callTimeoutMs > bridge.shutdownTimeoutMs - DRAIN_MARGIN_MS &&
  "is longer than SHUTDOWN_TIMEOUT less 5s: a drain could not wait for an open call";

const connections: Fault = (config) =>
  config.partner.maxConnections === 1 &&
  [valueOf(config, "FLOWS")].flat().includes("reconcile") &&
  "is 1, but the partner's log needs one beside those of commands: set 2, or leave reconcile out of FLOWS";

const clientCertificate = (need: Need, of: "kafka" | "partner"): Rule[] => {
  const [cert, key] = [`${of.toUpperCase()}_TLS_CERT_FILE`, `${of.toUpperCase()}_TLS_KEY_FILE`] as const;
  const isOther: Fault = ({ [of]: { tlsCert, tlsKey } }) =>
    tlsCert && tlsKey && !isPair(tlsCert, tlsKey) && `does not fit the certificate in ${cert}`;
  return [...together(need, cert, key), [need, key, isOther]];
};

const webhookSecret: Fault = ({ webhook: { auth, secret } }) =>
  secret && webhookSecretFault(auth, secret.reveal());

/** A URL is not treated as secret: `config` prints it. */
const tokenInPublicUrl: Fault = ({ webhook: { auth, publicUrl, secret } }) => {
  if (auth !== "path-token" || publicUrl === undefined || !secret) return null;
  const { pathname } = new URL(publicUrl);
  const paths = [pathname, decodePercent(pathname)];
  return (
    secretsIn(secret.reveal()).some((token) => paths.some((path) => path?.endsWith(`/${token}`))) &&
    "ends with the token of WEBHOOK_SECRET, which is secret: leave the token out"
  );
};

const sharedPort: Fault = ({ webhook, management }) =>
  webhook.port !== 0 &&
  webhook.port === management.port &&
  (webhook.host === management.host ||
    [webhook.host, management.host].some((host) => host === "0.0.0.0" || host === "::")) &&
  `is ${webhook.port}, as MANAGEMENT_PORT is: two listeners cannot share a port`;

const window: Fault = ({ reconcile: { windowMs, everyMs, minAgeMs } }) =>
  windowMs < everyMs + minAgeMs &&
  "is shorter than RECONCILE_EVERY and RECONCILE_MIN_AGE together: no run would look at what lies between";

// The console

const openConsole: Fault = ({ console: { auth, host } }) =>
  auth === "none" &&
  !isLoopback(host) &&
  `is ${host}, but CONSOLE_AUTH is none, so that anybody could read it: set CONSOLE_AUTH, or leave it at 127.0.0.1`;

const usersFile: Fault = ({ console: { auth, usersFile: file } }) =>
  auth === "basic" && file !== undefined && usersFileFault(file);

const anyProxy: Fault = ({ console: { auth, trustedProxyCidrs } }) =>
  auth === "proxy-header" &&
  trustedProxyCidrs.length === 0 &&
  "is not set, which CONSOLE_AUTH=proxy-header needs: name the proxies, or anybody could claim to be any user";

const rules: readonly Rule[] = [
  ...needed("kafka", ["KAFKA_SASL_MECHANISM"], byWhatItUses),
  ["kafka", "KAFKA_SASL_MECHANISM", mechanismInClear],
  ...needed(
    "kafka",
    ["KAFKA_SASL_USERNAME", "KAFKA_SASL_PASSWORD"],
    by("KAFKA_SASL_MECHANISM", /^(plain|s)/),
  ),
  ...needed("kafka", ["KAFKA_AWS_REGION"], by("KAFKA_SASL_MECHANISM", /^aws/)),
  ...needed("kafka", CLIENT, byToken),
  ["kafka", "KAFKA_OAUTH_TOKEN_ENDPOINT", endpointInClear],
  ...clientCertificate("kafka", "kafka"),
  ...["KAFKA_TLS_CA_FILE", "KAFKA_TLS_CERT_FILE", "KAFKA_TLS_KEY_FILE"].map(tlsFileUnused),
  ...together("kafka", "SCHEMA_REGISTRY_USERNAME", "SCHEMA_REGISTRY_PASSWORD"),
  ...oneSignIn,
  ["kafka", "SCHEMA_REGISTRY_URL", registryInClear],
  ...distinctTopics,
  ["serve", "PARTNER_CALL_TIMEOUT", callTimeout],
  ...clientCertificate("serve", "partner"),
  ...clientCertificate("partner", "partner"),
  ["commands", "PARTNER_MAX_CONNECTIONS", connections],
  ...needed("webhooks", ["WEBHOOK_SECRET"], by("WEBHOOK_AUTH", /^(?!none$)./)),
  ["webhooks", "WEBHOOK_SECRET", webhookSecret],
  ...needed("webhooks", ["WEBHOOK_SIGNATURE_HEADER"], by("WEBHOOK_AUTH", /^(hmac|header)$/)),
  ["webhooks", "WEBHOOK_PUBLIC_URL", tokenInPublicUrl],
  ["webhooks", "WEBHOOK_PORT", sharedPort],
  ["reconcile", "RECONCILE_WINDOW", window],
  ["console", "CONSOLE_HOST", openConsole],
  ...needed("console", ["CONSOLE_USERS_FILE"], by("CONSOLE_AUTH", /^basic$/)),
  ["console", "CONSOLE_USERS_FILE", usersFile],
  ["console", "CONSOLE_TRUSTED_PROXY_CIDRS", anyProxy],
];

/** Settings of `broken` could not be read: they are missing in the configuration, whatever its type says. */
export const brokenRules = (config: Config, needs: readonly Need[], broken: Set<string>): SettingProblem[] =>
  rules
    .filter(([need, variable]) => needs.includes(need) && !broken.has(variable))
    .flatMap(([, variable, fault]) => {
      const message = fault(config);
      return typeof message === "string" ? [{ variable, message }] : [];
    });
