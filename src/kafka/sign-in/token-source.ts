import { backoffMs } from "../../runtime/backoff.ts";
import { DeadlineError, type Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import type { Log } from "../../runtime/log.ts";
import { SignInError } from "./sign-in-error.ts";

/** Gives access tokens. All connections share one source. */
export type TokenSource = {
  /** Resolves when there is a token, or when asking for one has failed; within the bound of one request. */
  ready: () => Promise<void>;
  /** A token that has not expired. Rejects with a SignInError, within bounded time, when there is none. */
  token: () => Promise<string>;
  /** Reports that a broker or the registry refused this token before its expiry. */
  refused: (token: string) => void;
  /** Ends the renewal in the background. */
  close: () => void;
};

export type FetchedToken = { token: string; lifetimeMs: number };

export type TokenFetcher = {
  /** Names the issuer in messages, such as "the token endpoint https://…". */
  what: string;
  /** Rejects with a message that holds no secret. */
  fetch: (signal: AbortSignal) => Promise<FetchedToken>;
};

type Deps = { clock: Clock; log: Log; random: () => number };

/** A token is renewed at this fraction of its lifetime: slow or failing requests still end before it expires. */
const RENEW_AT = 0.8;
const FETCH_TIMEOUT_MS = 10_000;
/** How long `token()` waits, so that callers report this source's reason; `ready()` waits for as long as a request. */
const TOKEN_TIMEOUT_MS = 3_000;
const BACKOFF = { baseMs: 500, maxMs: 5_000 };
const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 12 * 3_600_000;
/** When a token younger than this is refused, a new one would be refused too: it is not replaced. */
const MIN_REPLACE_AGE_MS = 5_000;

/**
 * Keeps one token ready. The first call of `token()` fetches it; then it is renewed in the background, by one
 * request at a time. While renewal fails, the old token is used until it expires.
 */
export const tokenSource = ({ what, fetch }: TokenFetcher, { clock, log, random }: Deps): TokenSource => {
  const closed = new AbortController();
  let current: { token: string; fetchedAt: number; expiresAt: number } | null = null;
  /** The request under way, or the last failed one until the next begins. */
  let pending: Promise<FetchedToken> | null = null;
  let renewing: Promise<void> | null = null;
  let wake = new AbortController();
  let reported = "";

  const remainingMs = (): number => (current ? Math.max(0, current.expiresAt - clock.monotonic()) : 0);

  const fetchToken = async (): Promise<FetchedToken> => {
    // The lifetime counts from the request: it is unknown when the issuer answered.
    const fetchedAt = clock.monotonic();
    try {
      const fetched = await clock.withDeadline(FETCH_TIMEOUT_MS, closed.signal, fetch);
      if (!/^[\x21-\x7e]+$/.test(fetched.token)) throw new SignInError("it gave no valid token");
      if (!(fetched.lifetimeMs > 0)) throw new SignInError("it gave a token that has expired already");
      current = { token: fetched.token, fetchedAt, expiresAt: fetchedAt + fetched.lifetimeMs };
      if (reported !== "") log.info({ what }, "kafka.token.renewed");
      reported = "";
      return fetched;
    } catch (error) {
      const reason = `${what}: ${messageOf(error)}`;
      if (reason !== reported && !closed.signal.aborted)
        log.warn({ reason, livesMs: Math.round(remainingMs()) }, "kafka.token.failed");
      reported = reason;
      throw new SignInError(reason);
    }
  };

  const renew = async (): Promise<void> => {
    for (let failures = 0; !closed.signal.aborted;) {
      // Before the request: the token may be refused as soon as it has arrived.
      wake = new AbortController();
      const asked = (pending ??= fetchToken());
      const pauseMs = await asked.then(
        ({ lifetimeMs }) => {
          pending = null;
          failures = 0;
          return lifetimeMs * RENEW_AT;
        },
        () => backoffMs(BACKOFF, failures++, random()),
      );
      await clock
        .sleep(Math.min(Math.max(pauseMs, MIN_PAUSE_MS), MAX_PAUSE_MS), wake.signal)
        .catch(() => undefined);
      if (pending === asked) pending = null;
    }
  };

  /** The request under way, a new one if there is none. */
  const request = (): Promise<FetchedToken> => {
    if (!pending) {
      wake.abort(new Error("needed"));
      pending = fetchToken();
    }
    const asked = pending;
    renewing ??= renew();
    return asked;
  };

  return {
    ready: async () => {
      if (remainingMs() > 0 || closed.signal.aborted) return;
      await clock.within(FETCH_TIMEOUT_MS, closed.signal, request()).catch(() => undefined);
    },
    token: async () => {
      if (current && remainingMs() > 0) return current.token;
      if (closed.signal.aborted) throw new SignInError(`${what}: closed`);
      try {
        return (await clock.within(TOKEN_TIMEOUT_MS, closed.signal, request())).token;
      } catch (error) {
        if (error instanceof DeadlineError)
          throw new SignInError(`${what} has not answered yet, after ${TOKEN_TIMEOUT_MS / 1_000} s`);
        throw error;
      }
    },
    refused: (token) => {
      if (
        closed.signal.aborted ||
        current?.token !== token ||
        clock.monotonic() - current.fetchedAt < MIN_REPLACE_AGE_MS
      )
        return;
      current = null;
      if (!pending) wake.abort(new Error("refused"));
    },
    close: () => {
      const reason = new SignInError(`${what}: closed`);
      closed.abort(reason);
      wake.abort(reason);
    },
  };
};
