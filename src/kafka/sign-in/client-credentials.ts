import * as oauth from "oauth4webapi";
import { Agent, fetch } from "undici";
import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import { jwtExpiryMs } from "./jwt-claims.ts";
import { redacted, SignInError } from "./sign-in-error.ts";
import type { FetchedToken, TokenFetcher } from "./token-source.ts";

export type ClientCredentials = {
  endpoint: string;
  clientId: string;
  /** Called for each request, so that a rotated secret is used. */
  clientSecret: () => string;
  scope: string | undefined;
  audience: string | undefined;
};

const CONNECT_TIMEOUT_MS = 4_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** The lifetime of a token that states none. The broker refuses it when it expires earlier. */
const DEFAULT_LIFETIME_MS = 300_000;

const lifetimeOf = (
  { access_token: token, expires_in: seconds }: oauth.TokenEndpointResponse,
  nowMs: number,
) => {
  if (seconds !== undefined) return seconds * 1_000;
  const expiresAt = jwtExpiryMs(token);
  return expiresAt === null ? DEFAULT_LIFETIME_MS : expiresAt - nowMs;
};

/**
 * Encodes only what RFC 6749 requires. The library encodes hyphens too, and many servers compare without
 * decoding.
 */
const encoded = (text: string): string => encodeURIComponent(text).replaceAll("%20", "+");
const basic = (id: string, secret: string): string =>
  Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString("base64");

/**
 * Why the answer gave no token. Uses messages only: causes may hold parts of the answer, and so of a token.
 */
const failureReason = (error: unknown): string => {
  if (error instanceof oauth.ResponseBodyError)
    return [error.error, error.error_description].filter((part) => part !== undefined).join(", ");
  return error instanceof Error ? error.message : String(error);
};

/** Gets tokens by OAuth 2.0 client credentials. */
export const clientCredentials = (options: ClientCredentials, clock: Pick<Clock, "now">): TokenFetcher => {
  const { endpoint, clientId, scope, audience } = options;
  const server: oauth.AuthorizationServer = { issuer: endpoint, token_endpoint: endpoint };
  const client: oauth.Client = { client_id: clientId };
  // Requests are rare: no connection is kept alive.
  const dispatcher = new Agent({
    pipelining: 0,
    maxResponseSize: MAX_ANSWER_BYTES,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });
  const { origin, pathname, search } = new URL(endpoint);
  const endpointWithoutQuery = `${origin}${pathname}`;
  const parameters = {
    ...(scope !== undefined && { scope }),
    ...(audience !== undefined && { audience }),
  };

  const requestToken = (credentials: string, signal: AbortSignal): Promise<Response> => {
    const clientAuth: oauth.ClientAuth = (_server, _client, _body, headers) =>
      headers.set("authorization", `Basic ${credentials}`);
    return oauth.clientCredentialsGrantRequest(server, client, clientAuth, parameters, {
      signal,
      // config/rules.ts decides whether plain http is allowed.
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so only to make it stand out
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: async (url, init) => {
        const answer = await fetch(url, {
          ...init,
          dispatcher,
          headers: { ...init.headers, "accept-encoding": "identity" },
        });
        return new Response(await answer.arrayBuffer(), {
          status: answer.status,
          headers: Object.fromEntries(answer.headers),
        });
      },
    });
  };

  return {
    // Without the query, which may hold a key.
    what: `the token endpoint ${endpointWithoutQuery}`,
    fetch: async (signal): Promise<FetchedToken> => {
      const secret = options.clientSecret();
      const credentials = basic(clientId, secret);
      const secrets = [secret, encoded(secret), credentials, search];
      const response = await requestToken(credentials, signal).catch((error: unknown) => {
        throw new SignInError(`it does not answer: ${redacted(messageOf(error), secrets)}`);
      });
      try {
        const answer = await oauth.processClientCredentialsResponse(server, client, response);
        if (answer.token_type !== "bearer") throw new Error(`a token of the type ${answer.token_type}`);
        return { token: answer.access_token, lifetimeMs: lifetimeOf(answer, clock.now()) };
      } catch (error) {
        throw new SignInError(
          `it answered ${response.status} and gave no token: ${redacted(failureReason(error), secrets)}`,
        );
      }
    },
  };
};
