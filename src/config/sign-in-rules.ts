import { isPrivateUrl } from "./addresses.ts";
import type { Config } from "./config.ts";
import { isPair } from "./files.ts";
import { readHeaderPairs } from "./headers.ts";
import type { Need } from "./setting.ts";

/** What is wrong with the variable, as the end of a sentence "VARIABLE …"; otherwise anything but a text. */
export type Fault = (config: Config) => string | false | null | undefined;
/** A rule between settings, for whom it holds, and the variable that has the problem. */
export type Rule = readonly [need: Need, variable: string, fault: Fault];

const IN_SECRET = "on a network that nobody can eavesdrop on";
const TLS_HINT = `set KAFKA_TLS=true, or KAFKA_ALLOW_PLAINTEXT=true ${IN_SECRET}`;
export const HTTPS_HINT = `use https, or set KAFKA_ALLOW_PLAINTEXT=true ${IN_SECRET}`;

/** The secret that a mechanism sends in clear without TLS. SCRAM never sends the password. */
const SENT_IN_CLEAR = {
  plain: "password",
  "scram-sha-256": undefined,
  "scram-sha-512": undefined,
  oauthbearer: "token",
  "aws-msk-iam": "token",
} as const;

const isWithoutTls = ({ kafka }: Config): boolean => "tls" in kafka && !kafka.tls && !kafka.allowPlaintext;

/** A forgotten mechanism is not taken for none. */
export const mechanism: Fault = ({ kafka, registry }) => {
  const unused = [
    ["KAFKA_SASL_PASSWORD", kafka.saslPassword],
    ["KAFKA_OAUTH_TOKEN_ENDPOINT", registry.oauth ? undefined : kafka.oauthTokenEndpoint],
    ["KAFKA_OAUTH_TOKEN_FILE", registry.oauth ? undefined : kafka.oauthTokenFile],
  ].find(([, value]) => value !== undefined);
  return (
    kafka.saslMechanism === undefined &&
    unused !== undefined &&
    `is not set, so that ${String(unused[0])} would not be used`
  );
};

export const mechanismInClear: Fault = (config) => {
  const { saslMechanism } = config.kafka;
  const sent = saslMechanism && SENT_IN_CLEAR[saslMechanism];
  return (
    isWithoutTls(config) &&
    sent !== undefined &&
    `is ${saslMechanism}, but KAFKA_TLS is false, so that the ${sent} goes out in clear: ${TLS_HINT}`
  );
};

export const forPassword =
  (value: (kafka: Config["kafka"]) => unknown): Fault =>
  ({ kafka }) =>
    /^(plain|scram)/.test(kafka.saslMechanism ?? "") &&
    value(kafka) === undefined &&
    "is not set, which KAFKA_SASL_MECHANISM needs";

/** A token file that could not be read has a problem already. */
export const hasTokenFile = ({ kafka }: Config): boolean =>
  !("oauthTokenFile" in kafka) || kafka.oauthTokenFile !== undefined;

export const asksForTokens = ({ kafka, registry }: Config): boolean =>
  kafka.saslMechanism === "oauthbearer" || registry.oauth;

/** Tokens come from a file, or by the client credentials grant. */
export const forToken =
  (value: (kafka: Config["kafka"]) => unknown): Fault =>
  (config) => {
    const why =
      config.kafka.saslMechanism === "oauthbearer"
        ? "KAFKA_SASL_MECHANISM=oauthbearer"
        : "SCHEMA_REGISTRY_OAUTH=true";
    return (
      asksForTokens(config) &&
      !hasTokenFile(config) &&
      value(config.kafka) === undefined &&
      `is not set, which ${why} needs, without KAFKA_OAUTH_TOKEN_FILE`
    );
  };

export const registryInClear =
  (isSet: (registry: Config["registry"]) => boolean): Fault =>
  ({ kafka, registry }) =>
    isSet(registry) &&
    !kafka.allowPlaintext &&
    "url" in registry &&
    !isPrivateUrl(registry.url) &&
    `is set, but SCHEMA_REGISTRY_URL is not https, so that the token goes out in clear: ${HTTPS_HINT}`;

const REGISTRY_SIGN_IN: readonly (readonly [string, (registry: Config["registry"]) => boolean])[] = [
  ["SCHEMA_REGISTRY_USERNAME", ({ username, password }) => (username ?? password) !== undefined],
  ["SCHEMA_REGISTRY_TOKEN", ({ token }) => token !== undefined],
  ["SCHEMA_REGISTRY_OAUTH", ({ oauth }) => oauth],
  [
    "SCHEMA_REGISTRY_HEADERS",
    ({ headers }) =>
      headers !== undefined &&
      Object.keys(readHeaderPairs(headers.reveal())).some((name) => /^authorization$/i.test(name)),
  ],
];

export const oneRegistrySignIn = REGISTRY_SIGN_IN.map(([variable, isSet], at): Rule => [
  "kafka",
  variable,
  ({ registry }) => {
    const [first] = REGISTRY_SIGN_IN.slice(0, at).find(([, isOtherSet]) => isOtherSet(registry)) ?? [];
    return (
      isSet(registry) &&
      first !== undefined &&
      `is set together with ${first}: the registry takes one authorization, set one of them`
    );
  },
]);

export const unusedCertificate =
  (file: (kafka: Config["kafka"]) => unknown): Fault =>
  (config) =>
    isWithoutTls(config) &&
    file(config.kafka) !== undefined &&
    `is set, but KAFKA_TLS is false, so that it is not used: ${TLS_HINT}`;

export const certificateAndKey = (need: Need, of: "kafka" | "partner"): readonly Rule[] => {
  const certVariable = `${of.toUpperCase()}_TLS_CERT_FILE`;
  const missing = "is not set: a client certificate and its key go together";
  return [
    [
      need,
      certVariable,
      ({ [of]: { tlsCertFile: cert, tlsKeyFile: key } }) =>
        key !== undefined && cert === undefined && missing,
    ],
    [
      need,
      `${of.toUpperCase()}_TLS_KEY_FILE`,
      ({ [of]: { tlsCertFile: cert, tlsKeyFile: key } }) => {
        if (cert === undefined) return null;
        if (key === undefined) return missing;
        return !isPair(cert, key) && `does not fit the certificate in ${certVariable}`;
      },
    ],
  ];
};
