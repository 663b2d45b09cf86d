import type { Clock } from "../../runtime/clock.ts";
import { objectOf, parseJson } from "../../runtime/json-object.ts";
import { SignInError } from "./sign-in-error.ts";
import type { TokenSource } from "./token-source.ts";

/** The expiry of a JWT, unverified, in milliseconds since the epoch; null when it states none, or is no JWT. */
export const jwtExpiryMs = (token: string): number | null => {
  const [, payload, signature] = token.split(".");
  if (payload === undefined || signature === undefined) return null;
  const exp = objectOf(parseJson(Buffer.from(payload, "base64url").toString("utf8")))?.exp;
  return typeof exp === "number" && exp > 0 && exp < 1e12 ? exp * 1_000 : null;
};

/** A token from a file that another process renews. */
export const tokenFile = (read: () => string, clock: Pick<Clock, "now">): TokenSource => ({
  ready: () => Promise.resolve(),
  token: () => {
    const token = read().trim();
    const expiresAt = jwtExpiryMs(token);
    return expiresAt !== null && expiresAt <= clock.now()
      ? Promise.reject(
          new SignInError(
            `the token in KAFKA_OAUTH_TOKEN_FILE expired at ${new Date(expiresAt).toISOString()} and was not renewed`,
          ),
        )
      : Promise.resolve(token);
  },
  refused: () => undefined,
  close: () => undefined,
});
