import type { SignIn } from "../services/sign-in.ts";
import type { Config } from "../config/config.ts";
import { DeadlineError } from "../runtime/clock.ts";
import { messageOf } from "../runtime/errors.ts";
import { fail, ok, warn, type Bounds, type Check } from "./check.ts";

const TOKEN_MS = 8_000;
const SLOW_MS = 3_000;
/** A token is renewed at 0.8 of its life: the source may be away for the rest. */
const MIN_LIFE_MS = 20_000;

type Source = { name: string; remedy: string };

/** Where Kafka's tokens come from, and which settings decide whether they come. */
const sourceOf = ({ kafka }: Config): Source => {
  if (kafka.saslMechanism === "aws-msk-iam")
    return {
      name: "signer for MSK",
      remedy: "see KAFKA_AWS_REGION, and the credentials that AWS's library finds here",
    };
  if (kafka.oauthTokenFile)
    return { name: "KAFKA_OAUTH_TOKEN_FILE", remedy: "see what writes that file, and whether it still runs" };
  const { host } = new URL(kafka.oauthTokenEndpoint ?? "http://unknown");
  return {
    name: `token endpoint ${host}`,
    remedy:
      "see KAFKA_OAUTH_TOKEN_ENDPOINT, KAFKA_OAUTH_CLIENT_ID, KAFKA_OAUTH_CLIENT_SECRET, and the scope and audience",
  };
};

/** Asks for a token for Kafka. Null where Kafka takes none. */
export const checkToken = async (
  config: Config,
  { tokens }: SignIn,
  { clock, signal }: Bounds,
): Promise<Check | null> => {
  if (!tokens) return null;
  const { name, remedy } = sourceOf(config);
  const beganAt = clock.monotonic();
  try {
    await clock.within(TOKEN_MS, signal, tokens.ready());
    await tokens.token();
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof DeadlineError
      ? fail(
          name,
          `it does not answer (no token within ${TOKEN_MS / 1_000} s)`,
          "check that it runs, that no firewall or NetworkPolicy blocks the way, and KAFKA_OAUTH_TOKEN_ENDPOINT",
        )
      : fail(name, `it gives no token (${messageOf(error)})`, remedy);
  }
  const tookMs = clock.monotonic() - beganAt;
  const lifeMs = tokens.lifetimeMs();
  const lives = lifeMs === null ? "" : `, which live ${Math.round(lifeMs / 1_000)} s`;
  if (lifeMs !== null && lifeMs < MIN_LIFE_MS)
    return warn(
      name,
      `its tokens live ${Math.round(lifeMs / 1_000)} s, too short to renew them in time`,
      "give tokens a life of some minutes, 20 s at least",
    );
  return tookMs > SLOW_MS
    ? warn(
        name,
        `it is slow: a token took ${(tookMs / 1_000).toFixed(1)} s`,
        "see why, before a token is renewed too late",
      )
    : ok(name, `gives tokens${lives}`);
};
