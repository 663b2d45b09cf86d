import { backoffMs } from "../../runtime/backoff.ts";
import { DeadlineError, type Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import { objectOf, parseJson } from "../../runtime/json.ts";
import type { Log } from "../../runtime/log.ts";
import { redacted, SignInError } from "./sign-in-error.ts";

export type TokenSource = {
  /** Rejects with a SignInError without a valid token in `withinMs`, by default before connections time out. */
  token: (withinMs?: number) => Promise<string>;
  /** Reports that a broker or the registry refused this token before its expiry. */
  refused: (token: string) => void;
  close: () => void;
};

export type FetchedToken = { token: string; lifetimeMs: number };

export type TokenFetcher = {
  /** Names the issuer in messages, such as "the token endpoint https://…". */
  what: string;
  /** Rejects with a message that holds no secret but tokens. */
  fetch: (signal: AbortSignal) => Promise<FetchedToken>;
};

/** The expiry of a JWT, unverified, in milliseconds since the epoch; null when it states none, or is no JWT. */
export const jwtExpiryMs = (token: string): number | null => {
  const [, payload, signature] = token.split(".");
  if (payload === undefined || signature === undefined) return null;
  const exp = objectOf(parseJson(Buffer.from(payload, "base64url").toString("utf8")))?.exp;
  return typeof exp === "number" && exp > 0 && exp < 1e12 ? exp * 1_000 : null;
};

/** Tokens from a file that another process renews. */
export const tokenFile = (read: () => string, clock: Pick<Clock, "now">): TokenSource => ({
  token: () => {
    const token = read().trim();
    const expiresAt = jwtExpiryMs(token) ?? Infinity;
    if (expiresAt > clock.now()) return Promise.resolve(token);
    const instant = new Date(expiresAt).toISOString();
    const detail = `the token in KAFKA_OAUTH_TOKEN_FILE expired at ${instant} and was not renewed`;
    return Promise.reject(new SignInError(detail));
  },
  refused: () => undefined,
  close: () => undefined,
});

export type TokenDeps = { clock: Clock; log: Log; random: () => number };

/** A token is renewed at this fraction of its lifetime: slow or failing requests still end before it expires. */
const RENEW_AT = 0.8;
export const TOKEN_REQUEST_MS = 10_000;
const TOKEN_WAIT_MS = 3_000;
const BACKOFF = { baseMs: 500, maxMs: 5_000 };
const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 12 * 3_600_000;
/** When a token younger than this is refused, a new one would be refused too: it is not replaced. */
const MIN_REPLACE_AGE_MS = 5_000;

/** Keeps one token ready, and renews it in the background. While renewal fails, it is used until it expires. */
export const tokenSource = ({ what, fetch }: TokenFetcher, { clock, log, random }: TokenDeps) => {
  const closed = new AbortController();
  let current: { token: string; fetchedAt: number; expiresAt: number } | null = null;
  /** The request under way, or the last one that failed, until the next begins. */
  let fetching: Promise<string> | null = null;
  let next: NodeJS.Timeout | undefined;
  let failures = 0;
  let reported = "";

  const remainingMs = (): number => (current ? Math.max(0, current.expiresAt - clock.monotonic()) : 0);

  const fetchToken = async (): Promise<string> => {
    // The lifetime counts from the request: it is unknown when the issuer answered.
    const fetchedAt = clock.monotonic();
    try {
      const { token, lifetimeMs } = await clock.withDeadline(TOKEN_REQUEST_MS, closed.signal, fetch);
      if (!/^[\x21-\x7e]+$/.test(token)) throw new SignInError("it gave no valid token");
      if (!(lifetimeMs > 0)) throw new SignInError("it gave a token that has expired already");
      current = { token, fetchedAt, expiresAt: fetchedAt + lifetimeMs };
      if (reported !== "") log.info({ what }, "kafka.token.renewed");
      reported = "";
      failures = 0;
      fetching = null;
      askIn(lifetimeMs * RENEW_AT);
      return token;
    } catch (error) {
      const reason = `${what}: ${redacted(messageOf(error), [])}`;
      if (reason !== reported && !closed.signal.aborted)
        log.warn({ reason, livesMs: Math.round(remainingMs()) }, "kafka.token.failed");
      reported = reason;
      askIn(backoffMs(BACKOFF, failures++, random()));
      throw new SignInError(reason);
    }
  };

  const ask = (): Promise<string> => {
    clearTimeout(next);
    fetching = fetchToken();
    // In the background nobody waits for it.
    fetching.catch(() => undefined);
    return fetching;
  };
  const askIn = (ms: number): void => {
    if (!closed.signal.aborted)
      next = setTimeout(() => void ask(), Math.min(Math.max(ms, MIN_PAUSE_MS), MAX_PAUSE_MS)).unref();
  };

  return {
    token: async (withinMs = TOKEN_WAIT_MS) => {
      if (current && remainingMs() > 0) return current.token;
      try {
        return await clock.within(withinMs, closed.signal, fetching ?? ask());
      } catch (error) {
        if (error instanceof DeadlineError)
          throw new SignInError(`${what} has not answered yet, after ${withinMs / 1_000} s`);
        throw error;
      }
    },
    refused: (token: string): void => {
      if (current?.token !== token) return;
      if (clock.monotonic() - current.fetchedAt < MIN_REPLACE_AGE_MS) return;
      current = null;
      if (!fetching) void ask();
    },
    close: () => {
      closed.abort(new SignInError(`${what}: closed`));
      clearTimeout(next);
    },
  };
};
