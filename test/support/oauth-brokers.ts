import { afterAll } from "vitest";
import type { Settings } from "./settings.ts";
import { threeBrokers } from "./three-brokers.ts";
import { CLIENT, startTokenEndpoint } from "./token-endpoint.ts";

const OAUTHBEARER = "org.apache.kafka.common.security.oauthbearer";

/** Three brokers that accept tokens of their own token endpoint, for the audience `kafka`. */
export const oauthBrokers = () => {
  let endpoint: Awaited<ReturnType<typeof startTokenEndpoint>> | undefined;
  const running = () => {
    if (!endpoint) throw new Error("the token endpoint has not been started yet");
    return endpoint;
  };
  const kafka = threeBrokers(async () => {
    endpoint = await startTokenEndpoint();
    return {
      listeners: { OAUTH: "SASL_PLAINTEXT" },
      settings: {
        "listener.name.oauth.sasl.enabled.mechanisms": "OAUTHBEARER",
        "listener.name.oauth.oauthbearer.sasl.jaas.config": `${OAUTHBEARER}.OAuthBearerLoginModule required;`,
        "listener.name.oauth.oauthbearer.sasl.server.callback.handler.class": `${OAUTHBEARER}.OAuthBearerValidatorCallbackHandler`,
        "listener.name.oauth.oauthbearer.connections.max.reauth.ms": 60_000,
        "sasl.oauthbearer.jwks.endpoint.url": endpoint.jwksUrl,
        "sasl.oauthbearer.jwks.endpoint.refresh.ms": 5_000,
        "sasl.oauthbearer.expected.audience": "kafka",
      },
      javaFlags: [`-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=${endpoint.jwksUrl}`],
    };
  });
  afterAll(() => endpoint?.close());
  return {
    kafka,
    endpoint: running,
    /** The settings of a bridge that signs in with OAuth. */
    settings: (): Settings => ({
      KAFKA_BROKERS: kafka.addressesOf("OAUTH"),
      KAFKA_SASL_MECHANISM: "oauthbearer",
      KAFKA_ALLOW_PLAINTEXT: "true",
      KAFKA_OAUTH_TOKEN_ENDPOINT: running().url,
      KAFKA_OAUTH_CLIENT_ID: CLIENT.id,
      KAFKA_OAUTH_CLIENT_SECRET: CLIENT.secret,
    }),
  };
};
