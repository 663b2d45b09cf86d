/** One call to the partner, ready to be sent. `body` goes out byte for byte. */
export type PartnerRequest = {
  operation: "CREATE_QUOTE" | "ACCEPT_QUOTE";
  method: "POST" | "PUT";
  /** Below PARTNER_BASE_URL, begins with "/", already percent-encoded. */
  path: string;
  body: string;
};

/** What the partner answered. */
export type Answer = {
  httpStatus: number;
  /** As received, bounded, known secrets masked; null when it was cut off. */
  body: string | null;
  /** From Retry-After (seconds or an HTTP date); null when absent or unreadable. */
  retryAfterMs: number | null;
};

/**
 * What one call did, decided by evidence alone.
 * - `executed`: a 2xx status line arrived
 * - `refused`: an answer that proves that nothing was done, and would be the same next time
 * - `throttled`: 429, nothing was done
 * - `unauthorized`: 401, nothing was done; the credentials were read again
 * - `notSent`: proven that no byte of the request was handed to a socket
 * - `unknown`: the request, or a part of it, left; whether it was executed cannot be told
 */
export type Outcome =
  | { kind: "executed"; answer: Answer }
  | { kind: "refused"; answer: Answer }
  | { kind: "throttled"; answer: Answer }
  | { kind: "unauthorized"; answer: Answer }
  | { kind: "notSent"; reason: string }
  | { kind: "unknown"; reason: string; answer: Answer | null };

export type CallOptions = {
  /** Cuts the call off. */
  signal: AbortSignal;
  /** The call ends after so long, with what is known of it by then. */
  withinMs: number;
  /** Asked in the same synchronous step that hands the bytes to the socket; false makes the outcome `notSent`. */
  mayCall: () => boolean;
};

/** Makes one call, without retries. Never rejects: whatever happens is an {@link Outcome}. */
export type Call = (request: PartnerRequest, options: CallOptions) => Promise<Outcome>;

/** A subscription to the partner's notifications, as it is sent. */
export type Subscription = { url: string; events: readonly string[] };

/** What became of a subscription. `unknown`: it, or a part of it, left, and no status line of an answer came. */
export type Subscribed =
  | { kind: "answered"; answer: Answer }
  | { kind: "notSent"; reason: string }
  | { kind: "unknown"; reason: string };

/**
 * What the partner's log answered. The body is decompressed, and bounded by PARTNER_LOG_MAX_BYTES (over it: throws). Leaving the loop early closes
 * the connection. That of anything but a 2xx is a short text in which secrets are masked.
 */
export type LogAnswer = {
  httpStatus: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  retryAfterMs: number | null;
  body: AsyncIterable<Uint8Array>;
};

/** Days are YYYY-MM-DD. `eventType` null: the parameter is left out. */
export type LogQuery = { startDate: string; endDate: string; eventType: string | null };

/** Rejects when no head of an answer came, with a reason for people. */
export type FetchLog = (query: LogQuery, signal: AbortSignal) => Promise<LogAnswer>;

/** A call's way through the gate that bounds how many calls are open at a time, and how many begin in a second. */
export type Pass = {
  /** Whether the call may begin at once. When not, it has to wait. */
  enter: () => boolean;
  /** Waits for a place and for a turn. Rejects when the signal aborts. */
  wait: (signal: AbortSignal) => Promise<void>;
  /** Gives the place back, or stops waiting for one. More than once changes nothing. */
  leave: () => void;
};
