import { Agent, request } from "undici";
import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import { objectOf, parseJson } from "../../runtime/json.ts";
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
  const { access_token: token, token_type: type, expires_in: seconds, error, error_description } = answer;
  const refuse = (why: string): Error => new Error(`it answered ${status} and gave no token: ${why}`);
  if (status !== 200)
    throw refuse([error, error_description].filter((part) => typeof part === "string").join(", "));
  if (typeof token !== "string" || token === "") throw refuse("the answer has no access_token");
  const kind = String(type).toLowerCase();
  if (kind !== "bearer") throw refuse(`a token of the type ${kind}`);
  if (typeof seconds === "number") return { token, lifetimeMs: seconds * 1_000 };
  const expiresAt = jwtExpiryMs(token);
  return { token, lifetimeMs: expiresAt === null ? DEFAULT_LIFETIME_MS : expiresAt - nowMs };
};

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
  });

  return {
    // The query may hold a key.
    what: `the token endpoint ${origin}${pathname}`,
    fetch: async (signal) => {
      const secret = options.clientSecret();
      const credentials = Buffer.from(`${encoded(clientId)}:${encoded(secret)}`).toString("base64");
      const headers = {
        accept: "application/json",
        authorization: `Basic ${credentials}`,
        "content-type": "application/x-www-form-urlencoded",
      };
      const body = form.toString();
      const ask = async () => {
        const answer = await request(endpoint, { dispatcher, method: "POST", headers, body, signal });
        return { status: answer.statusCode, text: await answer.body.text() };
      };
      try {
        const { status, text } = await ask().catch((error: unknown) => {
          throw new Error("it does not answer", { cause: error });
        });
        return tokenOf(status, text, clock.now());
      } catch (error) {
        const secrets = [secret, encoded(secret), credentials, search];
        throw new SignInError(redacted(messageOf(error), secrets));
      }
    },
  };
};
