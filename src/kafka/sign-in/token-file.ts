import type { Clock } from "../../runtime/clock.ts";
import { jwtExpiryMs } from "./jwt-claims.ts";
import { SignInError } from "./sign-in-error.ts";
import type { TokenSource } from "./token-source.ts";

/**
 * The token in a file that somebody else renews.
 * @param read gives the present text of the file
 */
export const tokenFile = (read: () => string, clock: Pick<Clock, "now">): TokenSource => ({
  token: () => {
    const token = read().trim();
    const expiresAt = jwtExpiryMs(token);
    return expiresAt !== null && expiresAt <= clock.now()
      ? Promise.reject(
          new SignInError(
            `the token in KAFKA_OAUTH_TOKEN_FILE expired at ${new Date(expiresAt).toISOString()}: nobody has renewed it`,
          ),
        )
      : Promise.resolve(token);
  },
  refused: () => undefined,
  close: () => undefined,
});
