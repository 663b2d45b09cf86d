import type { Clock } from "../../runtime/clock.ts";
import { jwtExpiryMs } from "./jwt-claims.ts";
import { SignInError } from "./sign-in-error.ts";
import type { TokenSource } from "./token-source.ts";

/**
 * A token from a file that another process renews.
 * @param read gives the current text of the file
 */
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
  lifetimeMs: () => {
    const expiresAt = jwtExpiryMs(read().trim());
    return expiresAt === null ? null : expiresAt - clock.now();
  },
  close: () => undefined,
});
