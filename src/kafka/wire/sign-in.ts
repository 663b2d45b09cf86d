import type { Config } from "../../config/config.ts";
import { readHeaderPairs } from "../../config/headers.ts";
import type { SaslOptions } from "../client.ts";
import type { RegistryAuth } from "../schema/registry-http.ts";
import { clientCredentials } from "../sign-in/client-credentials.ts";
import { mskIam } from "../sign-in/msk-iam.ts";
import {
  TOKEN_REQUEST_MS,
  tokenFile,
  tokenSource,
  type TokenDeps,
  type TokenSource,
} from "../sign-in/token-source.ts";

export type SignIn = ReturnType<typeof signInOf>;

/** The tokens of KAFKA_OAUTH_…; null if they are not configured. */
const oauthTokens = ({ kafka }: Config, deps: TokenDeps): TokenSource | null => {
  const { oauthTokenFile: file, oauthTokenEndpoint: endpoint, oauthClientId: clientId } = kafka;
  if (file) return tokenFile(() => file.reveal(), deps.clock);
  const { oauthClientSecret: secret, oauthScope: scope, oauthAudience: audience } = kafka;
  if (endpoint === undefined || clientId === undefined || !secret) return null;
  const credentials = { endpoint, clientId, clientSecret: () => secret.reveal(), scope, audience };
  return tokenSource(clientCredentials(credentials, deps.clock), deps);
};

const saslOf = ({ kafka }: Config, tokens: TokenSource | null): SaslOptions | null => {
  const { saslMechanism: mechanism, saslUsername: username, saslPassword: password } = kafka;
  if (mechanism === "oauthbearer" || mechanism === "aws-msk-iam")
    return tokens && { mechanism: "oauthbearer", tokens, extensions: kafka.oauthExtensions ?? {} };
  if (!mechanism || username === undefined || !password) return null;
  return { mechanism, username, password: () => password.reveal() };
};

const registryAuth = ({ registry }: Config, oauth: TokenSource | null): RegistryAuth | null => {
  const { username, password, token } = registry;
  if (registry.oauth) return oauth && { bearer: oauth };
  if (token)
    return { bearer: { token: () => Promise.resolve(token.reveal()), refused: () => token.reload() } };
  return username !== undefined && password ? { username, password: () => password.reveal() } : null;
};

/** One source of tokens for all connections. @throws UsageError if MSK's signer is needed and not installed */
export const signInOf = (config: Config, deps: TokenDeps) => {
  const { saslMechanism, awsRegion } = config.kafka;
  const { headers } = config.registry;
  const oauth = oauthTokens(config, deps);
  const isMsk = saslMechanism === "aws-msk-iam" && awsRegion !== undefined;
  const tokens = isMsk ? tokenSource(mskIam(awsRegion, deps.clock), deps) : oauth;
  const kafka = saslOf(config, tokens);
  return {
    kafka,
    /** Tokens for Kafka; null where it takes none. */
    tokens: kafka?.mechanism === "oauthbearer" ? tokens : null,
    registry: {
      auth: registryAuth(config, oauth),
      ...(headers && { headers: () => readHeaderPairs(headers.reveal()) }),
    },
    /** Resolves when there is a token for Kafka, or it is known that there is none. Connections wait less long. */
    ready: async (): Promise<void> => {
      await tokens?.token(TOKEN_REQUEST_MS).catch(() => undefined);
    },
    close: (): void => {
      oauth?.close();
      tokens?.close();
    },
  };
};
