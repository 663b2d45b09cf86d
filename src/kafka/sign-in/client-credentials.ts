import { Agent, request } from "undici";
import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import { objectOf, parseJson } from "../../runtime/json-object.ts";
import { redacted, SignInError } from "./sign-in-error.ts";
import { jwtExpiryMs, type FetchedToken, type TokenFetcher } from "./token-source.ts";

type ClientCredentials = {
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

/** Encodes only what RFC 6749 requires: many servers compare without decoding. */
const encoded = (text: string): string => encodeURIComponent(text).replaceAll("%20", "+");

/** @throws with a message that may quote the answer's error, and never its token */
const tokenOf = (status: number, text: string, nowMs: number): FetchedToken => {
  const answer = objectOf(parseJson(text)) ?? {};
  const {
    access_token: token,
    token_type: type,
    expires_in: seconds,
    error,
    error_description: why,
  } = answer;
  if (status !== 200) throw new Error([error, why].filter((part) => typeof part === "string").join(", "));
  if (typeof token !== "string" || token === "") throw new Error("the answer has no access_token");
  const kind = String(type).toLowerCase();
  if (kind !== "bearer") throw new Error(`a token of the type ${kind}`);
  if (typeof seconds === "number") return { token, lifetimeMs: seconds * 1_000 };
  const expiresAt = jwtExpiryMs(token);
  return { token, lifetimeMs: expiresAt === null ? DEFAULT_LIFETIME_MS : expiresAt - nowMs };
};

/** Gets tokens by OAuth 2.0 client credentials. */
export const clientCredentials = (options: ClientCredentials, clock: Pick<Clock, "now">): TokenFetcher => {
  const { endpoint, clientId, scope, audience } = options;
  // Requests are rare: no connection is kept alive.
  const dispatcher = new Agent({
    pipelining: 0,
    maxResponseSize: MAX_ANSWER_BYTES,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });
  const { origin, pathname, search } = new URL(endpoint);
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    ...(scope !== undefined && { scope }),
    ...(audience !== undefined && { audience }),
  }).toString();

  return {
    // Without the query, which may hold a key.
    what: `the token endpoint ${origin}${pathname}`,
    fetch: async (signal) => {
      const secret = options.clientSecret();
      const credentials = Buffer.from(`${encoded(clientId)}:${encoded(secret)}`).toString("base64");
      const failure = (what: string, error: unknown): SignInError =>
        new SignInError(
          `${what}: ${redacted(messageOf(error), [secret, encoded(secret), credentials, search])}`,
        );
      const headers = {
        accept: "application/json",
        authorization: `Basic ${credentials}`,
        "content-type": "application/x-www-form-urlencoded",
      };
      const { status, text } = await request(endpoint, {
        dispatcher,
        method: "POST",
        headers,
        body: form,
        signal,
      })
        .then(async ({ statusCode, body }) => ({ status: statusCode, text: await body.text() }))
        .catch((error: unknown) => {
          throw failure("it does not answer", error);
        });
      try {
        return tokenOf(status, text, clock.now());
      } catch (error) {
        throw failure(`it answered ${status} and gave no token`, error);
      }
    },
  };
};
