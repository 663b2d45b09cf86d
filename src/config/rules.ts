import { isLoopback } from "../runtime/cidr.ts";
import { decodePercent } from "../runtime/percent.ts";
import { secretsIn, standardWebhooksKey } from "../runtime/secret-list.ts";
import { isPrivateUrl } from "./addresses.ts";
import type { Config, Problem } from "./config.ts";
import { usersFileFault } from "./files.ts";
import type { Need } from "./setting.ts";
import { topics as topicSettings } from "./settings/kafka.ts";
import {
  HTTPS_HINT,
  mechanism,
  mechanismInClear,
  forPassword,
  hasTokenFile,
  asksForTokens,
  forToken,
  registryInClear,
  oneRegistrySignIn,
  unusedCertificate,
  certificateAndKey,
  type Fault,
  type Rule,
} from "./sign-in-rules.ts";

/** Time that a drain needs after the longest call: to publish results, commit, and leave the group. */
const DRAIN_MARGIN_MS = 5_000;

/** If two topics had one name, results would be read as commands, forever. */
const distinctTopics = Object.entries(topicSettings).map(([key, { env }], at, all): Rule => [
  "kafka",
  env,
  ({ topics }) => {
    const named: Readonly<Record<string, unknown>> = topics;
    const name = named[key];
    const [, first] = all.slice(0, at).find(([other]) => named[other] === name) ?? [];
    return typeof name === "string" && first && `is ${name}, as ${first.env} is: each topic needs its own`;
  },
]);

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

/** What is wrong with the text of WEBHOOK_SECRET, as the end of a sentence; null when it is valid. */
export const webhookSecretFault = (auth: Config["webhook"]["auth"], text: string): string | null => {
  if (auth === undefined || auth === "none") return null;
  const secrets = secretsIn(text);
  if (secrets.length === 0) return "holds nothing but commas";
  if (auth === "standard-webhooks" && secrets.some((secret) => standardWebhooksKey(secret) === null))
    return "holds a secret that is not base64 (usually after whsec_), which WEBHOOK_AUTH=standard-webhooks needs";
  if (auth === "path-token" && secrets.some((secret) => secret === "." || secret === ".."))
    return "holds a secret that cannot be the end of a path: a segment of dots changes the path";
  return null;
};

const webhookSecret: Fault = ({ webhook: { auth, secret } }) => {
  if (secret) return webhookSecretFault(auth, secret.reveal());
  return auth !== undefined && auth !== "none" && `is not set, which WEBHOOK_AUTH=${auth} needs`;
};

const sharedPort: Fault = ({ webhook, management }) =>
  webhook.port !== 0 &&
  webhook.port === management.port &&
  (webhook.host === management.host || [webhook.host, management.host].some(isWildcardAddress)) &&
  `is ${webhook.port}, as MANAGEMENT_PORT is: two listeners cannot share a port`;

const isWildcardAddress = (host: string): boolean => host === "0.0.0.0" || host === "::";

const usersFile: Fault = ({ console: { auth, usersFile: file } }) => {
  if (auth !== "basic") return null;
  return file === undefined ? "is not set, which CONSOLE_AUTH=basic needs" : usersFileFault(file);
};

const REGISTRY_USER = "is not set: a user and its password go together";

const rules: readonly Rule[] = [
  ["kafka", "KAFKA_SASL_MECHANISM", mechanism],
  [
    "kafka",
    "KAFKA_AWS_REGION",
    ({ kafka }) =>
      kafka.saslMechanism === "aws-msk-iam" &&
      kafka.awsRegion === undefined &&
      "is not set, which KAFKA_SASL_MECHANISM=aws-msk-iam needs",
  ],
  ["kafka", "KAFKA_SASL_USERNAME", forPassword((kafka) => kafka.saslUsername)],
  ["kafka", "KAFKA_SASL_PASSWORD", forPassword((kafka) => kafka.saslPassword)],
  ["kafka", "KAFKA_OAUTH_TOKEN_ENDPOINT", forToken((kafka) => kafka.oauthTokenEndpoint)],
  ["kafka", "KAFKA_OAUTH_CLIENT_ID", forToken((kafka) => kafka.oauthClientId)],
  ["kafka", "KAFKA_OAUTH_CLIENT_SECRET", forToken((kafka) => kafka.oauthClientSecret)],
  [
    "kafka",
    "KAFKA_OAUTH_TOKEN_ENDPOINT",
    (config) =>
      asksForTokens(config) &&
      hasTokenFile(config) &&
      config.kafka.oauthTokenEndpoint !== undefined &&
      "would not be used: the token comes from KAFKA_OAUTH_TOKEN_FILE",
  ],
  ["kafka", "KAFKA_SASL_MECHANISM", mechanismInClear],
  [
    "kafka",
    "KAFKA_OAUTH_TOKEN_ENDPOINT",
    ({ kafka: { oauthTokenEndpoint: endpoint, allowPlaintext } }) =>
      endpoint !== undefined &&
      !allowPlaintext &&
      !isPrivateUrl(endpoint) &&
      `is not https, so that the client secret goes out in clear: ${HTTPS_HINT}`,
  ],
  ["kafka", "SCHEMA_REGISTRY_TOKEN", registryInClear(({ oauth, token }) => !oauth && token !== undefined)],
  ["kafka", "SCHEMA_REGISTRY_OAUTH", registryInClear(({ oauth }) => oauth)],
  ...oneRegistrySignIn,
  ...certificateAndKey("kafka", "kafka"),
  ["kafka", "KAFKA_TLS_CA_FILE", unusedCertificate((kafka) => kafka.tlsCaFile)],
  ["kafka", "KAFKA_TLS_CERT_FILE", unusedCertificate((kafka) => kafka.tlsCertFile)],
  ["kafka", "KAFKA_TLS_KEY_FILE", unusedCertificate((kafka) => kafka.tlsKeyFile)],
  ...distinctTopics,
  [
    "kafka",
    "SCHEMA_REGISTRY_USERNAME",
    ({ registry }) => registry.password !== undefined && registry.username === undefined && REGISTRY_USER,
  ],
  [
    "kafka",
    "SCHEMA_REGISTRY_PASSWORD",
    ({ registry }) => registry.username !== undefined && registry.password === undefined && REGISTRY_USER,
  ],
  [
    "serve",
    "PARTNER_CALL_TIMEOUT",
    ({ partner, bridge }) =>
      partner.callTimeoutMs > bridge.shutdownTimeoutMs - DRAIN_MARGIN_MS &&
      "is longer than SHUTDOWN_TIMEOUT less 5s: a drain could not wait for an open call",
  ],
  ...certificateAndKey("serve", "partner"),
  ...certificateAndKey("partner", "partner"),
  ["webhooks", "WEBHOOK_PUBLIC_URL", tokenInPublicUrl],
  ["webhooks", "WEBHOOK_SECRET", webhookSecret],
  ["webhooks", "WEBHOOK_PORT", sharedPort],
  [
    "webhooks",
    "WEBHOOK_SIGNATURE_HEADER",
    ({ webhook: { auth, signatureHeader } }) =>
      (auth === "hmac" || auth === "header") &&
      signatureHeader === undefined &&
      `is not set, which WEBHOOK_AUTH=${auth} needs`,
  ],
  [
    "reconcile",
    "RECONCILE_WINDOW",
    ({ reconcile: { windowMs, everyMs, minAgeMs } }) =>
      windowMs < everyMs + minAgeMs &&
      "is shorter than RECONCILE_EVERY and RECONCILE_MIN_AGE together: no run would look at what lies between",
  ],
  [
    "reconcile",
    "RECONCILE_LOOKBACK",
    ({ reconcile: { windowMs, lookbackMs } }) =>
      lookbackMs < windowMs &&
      "is shorter than RECONCILE_WINDOW: a start would look at less than every other run does",
  ],
  [
    // Without authentication, anybody who reaches the console sees everything.
    "console",
    "CONSOLE_HOST",
    ({ console: { auth, host } }) =>
      auth === "none" &&
      !isLoopback(host) &&
      `is ${host}, but CONSOLE_AUTH is none, so that anybody could read it: set CONSOLE_AUTH, or leave it at 127.0.0.1`,
  ],
  ["console", "CONSOLE_USERS_FILE", usersFile],
  [
    "console",
    "CONSOLE_TRUSTED_PROXY_CIDRS",
    ({ console: { auth, trustedProxyCidrs } }) =>
      auth === "proxy-header" &&
      trustedProxyCidrs.length === 0 &&
      "is not set, which CONSOLE_AUTH=proxy-header needs: name the proxies, or anybody could claim to be any user",
  ],
];

/**
 * The problems between settings that are valid by themselves.
 * @param broken the variables that could not be read, which have a problem already. Their values are missing in the
 * configuration, whatever its type says.
 */
export const brokenRules = (config: Config, needs: readonly Need[], broken: ReadonlySet<string>): Problem[] =>
  rules
    .filter(([need, variable]) => needs.includes(need) && !broken.has(variable))
    .flatMap(([, variable, fault]) => {
      const message = fault(config);
      return typeof message === "string" ? [{ variable, message }] : [];
    });
