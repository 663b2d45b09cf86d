import type { Clock } from "../runtime/clock.ts";
import type { FailureSign, NamedField } from "../runtime/json-pointer.ts";

export type Credentials = { accessToken: string; xToken: string };

/** What the client needs to know. Members that are not explained here are settings of the same name. */
export type PartnerOptions = {
  /** Its path, if any, is put before the path of every request. */
  baseUrl: URL;
  /** `reload` reads the credentials again, after the partner refused them. Neither throws. */
  credentials: { current: () => Credentials; reload: () => void };
  /** `<partner_name>-<service_name>` */
  userAgent: string;
  /** PEM texts: the CA to trust, and the client certificate with its key. */
  tls: Partial<Record<"ca" | "cert" | "key", string | Buffer | undefined>>;
  /** The HTTP proxy for CONNECT, with credentials in the URL if it needs any. Asked for each connection; null for none. */
  proxy: (() => URL) | null;
  /** Bounds DNS, TCP, tunnel and TLS together. */
  connectTimeoutMs: number;
  /** Bounds the time from writing the request to the end of its answer; for the log, to its head and to each chunk. */
  callTimeoutMs: number;
  /** Connections for calls with a permit. A read of the log has another one. */
  maxConnections: number;
  /** How long the partner is known to keep idle connections open; 0 for a new connection per call. */
  keepAliveMs: number;
  /** The rate of all processes together; undefined for no limit. */
  maxRequestsPerSecond: number | undefined;
  maxResponseBytes: number;
  doubtStatuses: readonly string[];
  quoteIdPointer: string | undefined;
  transactionIdPointer: string | undefined;
  failedWhen: readonly FailureSign[];
  resultFields: readonly NamedField[];
  logEndParameter: string;
  logMaxBytes: number;
  /** Secrets to mask in what is kept of an answer, such as the credentials. */
  secrets: () => readonly string[];
  clock: Clock;
};

/** One call to the partner. `body` is sent as it is. */
export type PartnerRequest = {
  operation: "CREATE_QUOTE" | "ACCEPT_QUOTE";
  method: "POST" | "PUT";
  /** Relative to PARTNER_BASE_URL; begins with "/", percent-encoded. */
  path: string;
  body: string;
  /** The ids that it names, null for none. An answer that names others may be that to another request. */
  ids: Readonly<Record<string, string | null>>;
};

export type Answer = {
  httpStatus: number;
  /** The text that was received, bounded, with secrets masked; null if it was cut off. */
  body: string | null;
  /** What Retry-After asks for (seconds or an HTTP date); null if absent or unreadable. */
  retryAfterMs: number | null;
  /** What the answer holds of these: the quote that a create made, or the transaction that an accept began. */
  quoteId?: string;
  transactionId?: string;
  /** What PARTNER_RESULT_FIELDS names, where the answer holds it. */
  fields?: Record<string, string>;
};

/**
 * What became of one call, by the evidence of its connection.
 * - `executed`: a 2xx status line arrived
 * - `unclear`: it did, but its body says that what was asked for failed, and names no new quote; or, for an accept,
 *   it may be the answer of somebody else, or to another request
 * - `refused`: the answer proves that nothing was done; a retry would be refused too
 * - `throttled`: 429, nothing was done
 * - `unauthorized`: 401, nothing was done; the credentials have been read again
 * - `notSent`: no byte of the request was handed to a socket
 * - `unknown`: at least a part of the request was sent; whether it was executed is not known
 */
export type Outcome =
  | { kind: "executed"; answer: Answer }
  | { kind: "unclear"; reason: string; answer: Answer }
  | { kind: "refused"; answer: Answer }
  | { kind: "throttled"; answer: Answer }
  | { kind: "unauthorized"; answer: Answer }
  | { kind: "notSent"; reason: string }
  | { kind: "unknown"; reason: string; answer: Answer | null };

export type CallOptions = {
  signal: AbortSignal;
  /** After this the call ends with what is known of it. */
  withinMs: number;
  /** Asked in the same synchronous step that writes the request; false makes the outcome `notSent`. */
  mayCall: () => boolean;
};

/** Makes one call, without retries. Never rejects: a failure is an {@link Outcome} too. */
export type Call = (request: PartnerRequest, options: CallOptions) => Promise<Outcome>;

/** Calls that wait for their turn: since when there are any, and when the last of these will have its turn. */
export type Backlog = { sinceMs: number; untilMs: number };

export type Subscription = { url: string; events: readonly string[] };
/** What became of a subscription. `unknown`: at least a part was sent, and no status line came back. */
export type SubscribeOutcome =
  { kind: "answered"; answer: Answer } | { kind: "notSent" | "unknown"; reason: string };

/** Reading `body` throws beyond PARTNER_LOG_MAX_BYTES, and closes the connection if left early. Masked if not 2xx. */
export type LogAnswer = {
  httpStatus: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  retryAfterMs: number | null;
  body: AsyncIterable<Uint8Array>;
};

/** Dates are YYYY-MM-DD. `eventType` null: the parameter is left out. */
export type LogQuery = { startDate: string; endDate: string; eventType: string | null };

/** Rejects with a readable reason when no status line and headers came. */
export type FetchLog = (query: LogQuery, signal: AbortSignal) => Promise<LogAnswer>;

/** Whoever waits for a permit holds nothing but a place in the queue, and can look again whether it needs the call. */
export type CallPermit = {
  /** Whether it may be taken now: it is first in the queue, or nobody waits, and a place and a turn are free. */
  isFree: () => boolean;
  /** Takes it, in the step in which it is free. */
  take: () => void;
  /** Queues up, and resolves when it is free. Whoever comes later waits until it is taken or released. */
  untilFree: (signal: AbortSignal) => Promise<void>;
  /** Gives the permit back, or leaves the queue. Idempotent. */
  release: () => void;
};
