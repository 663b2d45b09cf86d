import type { Config } from "../../config/config.ts";
import { readHeaderPairs } from "../../config/headers.ts";
import type { SaslOf } from "../client.ts";
import type { RegistryAuth } from "../schema/registry-http.ts";
import { clientCredentials } from "../sign-in/client-credentials.ts";
import { mskIam } from "../sign-in/msk-iam.ts";
import { oauthBearer } from "../sign-in/oauth-bearer.ts";
import { TOKEN_REQUEST_MS, tokenFile, tokenSource } from "../sign-in/token-source.ts";
import type { TokenDeps, TokenSource } from "../sign-in/token-source.ts";

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

/** Tokens for Kafka; null where it takes none. */
const kafkaTokens = ({ kafka }: Config, oauth: TokenSource | null, deps: TokenDeps): TokenSource | null => {
  const { saslMechanism, awsRegion } = kafka;
  if (saslMechanism === "oauthbearer") return oauth;
  const isMsk = saslMechanism === "aws-msk-iam" && awsRegion !== undefined;
  return isMsk ? tokenSource(mskIam(awsRegion, deps.clock), deps) : null;
};

const saslOf = ({ kafka }: Config, tokens: TokenSource | null): SaslOf | null => {
  if (tokens) return () => oauthBearer({ tokens, extensions: kafka.oauthExtensions ?? {} });
  const { saslMechanism: mechanism, saslUsername: username, saslPassword: password } = kafka;
  if (!mechanism || username === undefined || !password) return null;
  return () => ({ mechanism, username, password: password.reveal() }) as ReturnType<SaslOf>;
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
  const { headers } = config.registry;
  const oauth = oauthTokens(config, deps);
  const tokens = kafkaTokens(config, oauth, deps);
  return {
    kafka: saslOf(config, tokens),
    tokens,
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
