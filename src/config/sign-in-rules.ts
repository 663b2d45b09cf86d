import type { Config, Problem } from "./config.ts";
import { isPrivateUrl, readHeaderPairs } from "./read.ts";
import { type Rule, wasRead, when } from "./rule.ts";

type Kafka = Config["kafka"];

export const TLS_HINT =
  "set KAFKA_TLS=true, or KAFKA_ALLOW_PLAINTEXT=true on a network that nobody can eavesdrop on";
const HTTPS_HINT = "use https, or set KAFKA_ALLOW_PLAINTEXT=true on a network that nobody can eavesdrop on";

// The settings of each mechanism: they are required, and those of the other mechanisms must not be set.

const passwords = ({ saslUsername, saslPassword }: Kafka) =>
  [
    ["KAFKA_SASL_USERNAME", saslUsername],
    ["KAFKA_SASL_PASSWORD", saslPassword],
  ] as const;
const byClient = ({ oauthTokenEndpoint, oauthClientId, oauthClientSecret }: Kafka) =>
  [
    ["KAFKA_OAUTH_TOKEN_ENDPOINT", oauthTokenEndpoint],
    ["KAFKA_OAUTH_CLIENT_ID", oauthClientId],
    ["KAFKA_OAUTH_CLIENT_SECRET", oauthClientSecret],
  ] as const;
const asked = ({ oauthScope, oauthAudience }: Kafka) =>
  [
    ["KAFKA_OAUTH_SCOPE", oauthScope],
    ["KAFKA_OAUTH_AUDIENCE", oauthAudience],
  ] as const;

type Given = readonly (readonly [variable: string, value: unknown])[];
const missing = (given: Given, why: string): Problem[] =>
  given.flatMap(([variable, value]) => when(value === undefined, variable, `is not set, which ${why}`));
const unused = (given: Given, why: string): Problem[] =>
  given.flatMap(([variable, value]) => when(value !== undefined, variable, `would not be used: ${why}`));

const passwordRule: Rule = ({ kafka }) => {
  if (!wasRead(kafka, "saslMechanism")) return [];
  const { saslMechanism: mechanism, saslPassword } = kafka;
  if (mechanism === undefined)
    return when(
      saslPassword !== undefined,
      "KAFKA_SASL_MECHANISM",
      "is not set, so that KAFKA_SASL_PASSWORD would not be used",
    );
  return mechanism === "oauthbearer" || mechanism === "aws-msk-iam"
    ? unused(passwords(kafka), `KAFKA_SASL_MECHANISM=${mechanism} has no user and password`)
    : missing(passwords(kafka), "KAFKA_SASL_MECHANISM needs");
};

const oauthRule: Rule = ({ kafka, registry }) => {
  if (!wasRead(kafka, "saslMechanism") || !wasRead(registry, "oauth")) return [];
  const { oauthTokenFile, oauthExtensions } = kafka;
  const ofKafka = kafka.saslMechanism === "oauthbearer";
  const file: Given = [["KAFKA_OAUTH_TOKEN_FILE", oauthTokenFile]];
  const client = [...byClient(kafka), ...asked(kafka)];
  const extensions = ofKafka
    ? []
    : unused([["KAFKA_OAUTH_EXTENSIONS", oauthExtensions]], "KAFKA_SASL_MECHANISM is not oauthbearer");
  if (!ofKafka && !registry.oauth)
    return [
      ...unused(
        [...client, ...file],
        "neither is KAFKA_SASL_MECHANISM oauthbearer, nor SCHEMA_REGISTRY_OAUTH true",
      ),
      ...extensions,
    ];
  if (oauthTokenFile !== undefined || !wasRead(kafka, "oauthTokenFile"))
    return [...unused(client, "the token comes from KAFKA_OAUTH_TOKEN_FILE"), ...extensions];
  const why = ofKafka ? "KAFKA_SASL_MECHANISM=oauthbearer" : "SCHEMA_REGISTRY_OAUTH=true";
  return [...missing(byClient(kafka), `${why} needs, without KAFKA_OAUTH_TOKEN_FILE`), ...extensions];
};

const awsRule: Rule = ({ kafka }) => {
  if (!wasRead(kafka, "saslMechanism")) return [];
  const region: Given = [["KAFKA_AWS_REGION", kafka.awsRegion]];
  return kafka.saslMechanism === "aws-msk-iam"
    ? missing(region, "KAFKA_SASL_MECHANISM=aws-msk-iam needs")
    : unused(region, "KAFKA_SASL_MECHANISM is not aws-msk-iam");
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
export const signInRules: readonly Rule[] = [passwordRule, oauthRule, awsRule, inClear, registryRule];
