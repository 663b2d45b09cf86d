import type { Config, Problem } from "./config.ts";
import { isPrivateUrl, readHeaderPairs } from "./read.ts";
import { type Rule, wasRead, when } from "./rule.ts";

export const TLS_HINT =
  "set KAFKA_TLS=true, or KAFKA_ALLOW_PLAINTEXT=true on a network that nobody can eavesdrop on";
const HTTPS_HINT = "use https, or set KAFKA_ALLOW_PLAINTEXT=true on a network that nobody can eavesdrop on";

type Given = readonly (readonly [variable: string, value: unknown])[];
const missing = (given: Given, why: string): Problem[] =>
  given.flatMap(([variable, value]) => when(value === undefined, variable, `is not set, which ${why}`));

/** What each mechanism needs, and that a forgotten one is not taken for none. */
const mechanismRule: Rule = ({ kafka, registry }) => {
  if (!wasRead(kafka, "saslMechanism") || kafka.saslMechanism === "oauthbearer") return [];
  if (kafka.saslMechanism === undefined) {
    const meant = [
      [kafka.saslPassword, "KAFKA_SASL_PASSWORD"],
      [registry.oauth ? undefined : kafka.oauthTokenEndpoint, "KAFKA_OAUTH_TOKEN_ENDPOINT"],
      [registry.oauth ? undefined : kafka.oauthTokenFile, "KAFKA_OAUTH_TOKEN_FILE"],
    ] as const;
    const variable = meant.find(([value]) => value !== undefined)?.[1];
    return when(
      variable !== undefined,
      "KAFKA_SASL_MECHANISM",
      `is not set, so that ${variable ?? ""} would not be used`,
    );
  }
  if (kafka.saslMechanism === "aws-msk-iam")
    return missing([["KAFKA_AWS_REGION", kafka.awsRegion]], "KAFKA_SASL_MECHANISM=aws-msk-iam needs");
  return missing(
    [
      ["KAFKA_SASL_USERNAME", kafka.saslUsername],
      ["KAFKA_SASL_PASSWORD", kafka.saslPassword],
    ],
    "KAFKA_SASL_MECHANISM needs",
  );
};

/** Where tokens come from: a file, or the client credentials grant. */
const oauthRule: Rule = ({ kafka, registry }) => {
  const ofKafka = kafka.saslMechanism === "oauthbearer";
  if (!ofKafka && !registry.oauth) return [];
  if (kafka.oauthTokenFile !== undefined || !wasRead(kafka, "oauthTokenFile"))
    return when(
      kafka.oauthTokenEndpoint !== undefined,
      "KAFKA_OAUTH_TOKEN_ENDPOINT",
      "would not be used: the token comes from KAFKA_OAUTH_TOKEN_FILE",
    );
  const why = ofKafka ? "KAFKA_SASL_MECHANISM=oauthbearer" : "SCHEMA_REGISTRY_OAUTH=true";
  return missing(
    [
      ["KAFKA_OAUTH_TOKEN_ENDPOINT", kafka.oauthTokenEndpoint],
      ["KAFKA_OAUTH_CLIENT_ID", kafka.oauthClientId],
      ["KAFKA_OAUTH_CLIENT_SECRET", kafka.oauthClientSecret],
    ],
    `${why} needs, without KAFKA_OAUTH_TOKEN_FILE`,
  );
};

/** The secret that a mechanism sends in clear without TLS. SCRAM never sends the password. */
const SENT_IN_CLEAR = {
  plain: "password",
  "scram-sha-256": undefined,
  "scram-sha-512": undefined,
  oauthbearer: "token",
  "aws-msk-iam": "token",
} as const;

const inClear: Rule = ({ kafka, registry }) => {
  if (kafka.allowPlaintext) return [];
  const { saslMechanism: mechanism, oauthTokenEndpoint: endpoint } = kafka;
  const sent = mechanism && SENT_IN_CLEAR[mechanism];
  const bearer = registry.oauth ? "SCHEMA_REGISTRY_OAUTH" : "SCHEMA_REGISTRY_TOKEN";
  // Any of these is undefined where it could not be read, whatever its type says.
  const url = registry.url as string | undefined;
  return [
    ...when(
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-boolean-literal-compare -- undefined where it could not be read
      kafka.tls === false && sent !== undefined,
      "KAFKA_SASL_MECHANISM",
      `is ${mechanism ?? ""}, but KAFKA_TLS is false, so that the ${sent ?? ""} goes out in clear: ${TLS_HINT}`,
    ),
    ...when(
      endpoint !== undefined && !isPrivateUrl(endpoint),
      "KAFKA_OAUTH_TOKEN_ENDPOINT",
      `is not https, so that the client secret goes out in clear: ${HTTPS_HINT}`,
    ),
    ...when(
      url !== undefined && !isPrivateUrl(url) && (registry.oauth || registry.token !== undefined),
      bearer,
      `is set, but SCHEMA_REGISTRY_URL is not https, so that the token goes out in clear: ${HTTPS_HINT}`,
    ),
  ];
};

/** The registry takes one kind of authentication. */
const registryRule: Rule = ({ registry }) => {
  const ways = [
    ["SCHEMA_REGISTRY_USERNAME", registry.username !== undefined || registry.password !== undefined],
    ["SCHEMA_REGISTRY_TOKEN", registry.token !== undefined],
    ["SCHEMA_REGISTRY_OAUTH", registry.oauth],
    ["an authorization of SCHEMA_REGISTRY_HEADERS", holdsAuthorization(registry)],
  ] as const;
  const [first, ...others] = ways.filter(([, isSet]) => isSet).map(([variable]) => variable);
  return others.map((variable) => ({
    variable: variable.split(" ").at(-1) ?? variable,
    message: `is set together with ${first ?? ""}: the registry takes one authorization, set one of them`,
  }));
};

const holdsAuthorization = ({ headers }: Config["registry"]): boolean =>
  headers !== undefined &&
  Object.keys(readHeaderPairs(headers.reveal())).some((name) => name.toLowerCase() === "authorization");

/** Rules between the settings of authentication to Kafka and the registry. */
export const signInRules: readonly Rule[] = [mechanismRule, oauthRule, inClear, registryRule];
