import { json, type Answer } from "../runtime/answer.ts";
import type { Change, Quote, Sent, Subscription } from "../types.ts";

/** Why a request is refused: its code, and the status of each. */
const statuses = {
  UNAUTHORIZED: 401,
  INVALID_HEADER: 400,
  UNSUPPORTED_MEDIA_TYPE: 415,
  NOT_ACCEPTABLE: 406,
  INVALID_REQUEST: 400,
  BODY_TOO_LARGE: 413,
  QUOTE_NOT_FOUND: 404,
  QUOTE_ALREADY_ACCEPTED: 409,
  QUOTE_EXPIRED: 422,
  QUOTE_NOT_OF_TODAY: 422,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  FAULT: 500,
} as const;

export type Refusal = {
  code: keyof typeof statuses;
  message: string;
  /** Set by a fault; otherwise it follows from the code. */
  status?: number;
  headers?: Record<string, string>;
};

type Accepted = {
  quoteId: string;
  /** Null when the sandbox no longer has the quote. */
  transactionId: string | null;
  acceptedAt: number;
  externalId: string | null;
};

/** Formats an instant for an answer. */
export type Stamp = (at: number) => string | number;

/** An entry of the log: a notification or, where there is an entry for each, an attempt to deliver it. */
export type LogEntry = { eventType: string; sent: Sent; entryId: string };

/** A possible form of everything that the specification does not show. */
export type AnswerForm = {
  created(quote: Quote): Answer;
  accepted(accepted: Accepted): Answer;
  subscribed(subscription: Subscription): Answer;
  refused(refusal: Refusal): Answer;
  /** The three fields of the specification; a form may add others. */
  notification(change: Change, stamp?: Stamp): Record<string, unknown>;
  /** The log's answer around its entries. `hints` say whether there are more. */
  log(entries: unknown, hints: Record<string, unknown>): unknown;
  /** What the log shows of a notification: one entry, or one for each attempt. */
  entries(entry: LogEntry, stamp: Stamp): Record<string, unknown>[];
};

export const iso = (at: number): string => new Date(at).toISOString();
// São Paulo has had no daylight saving time since 2019.
export const withOffset = (at: number): string => `${iso(at - 3 * 3_600_000).slice(0, 23)}-03:00`;
const isOk = (httpStatus: number | null): boolean =>
  httpStatus !== null && httpStatus >= 200 && httpStatus < 300;

/** The default: flat objects, 201 for what was created, instants in UTC. */
const plain: AnswerForm = {
  created: ({ quoteId, createdAt, expiresAt, ...quote }) => {
    const { direction, purpose, quotedAmount, baseCurrencyIso, quotedCurrencyIso } = quote;
    const request = { direction, purpose, quotedAmount, baseCurrencyIso, quotedCurrencyIso };
    const dates = { createdAt: iso(createdAt), expiresAt: iso(expiresAt) };
    return json(201, { quoteId, status: "CREATED", ...request, ...dates });
  },
  accepted: ({ acceptedAt, ...accepted }) =>
    json(200, { ...accepted, status: "ACCEPTED", acceptedAt: iso(acceptedAt) }),
  subscribed: ({ createdAt, ...subscription }) => json(201, { ...subscription, createdAt: iso(createdAt) }),
  refused: ({ code, message, status, headers }) =>
    json(status ?? statuses[code], { error: { code, message } }, headers),
  notification: ({ createdAt, status, transactionId }, stamp = iso) => ({
    createdAt: stamp(createdAt),
    status,
    transactionId,
  }),
  log: (entries, hints) => (Object.keys(hints).length === 0 ? entries : { entries, ...hints }),
  entries: ({ eventType, sent }, stamp) => {
    const about = {
      eventType,
      url: sent.url,
      attempts: sent.attempts.length,
      delivered: sent.state === "delivered",
    };
    return [{ ...about, ...plain.notification(sent, stamp) }];
  },
};

/** Everything in an envelope, always 200, instants with São Paulo's offset, more fields in notifications. */
const nested: AnswerForm = {
  created: ({ quoteId, expiresAt, createdAt, quotedAmount, quotedCurrencyIso }) => {
    const amounts = { quoted: { value: quotedAmount, currency: quotedCurrencyIso } };
    const quote = { id: quoteId, state: "OPEN", validUntil: withOffset(expiresAt), amounts };
    return json(200, { data: { quote }, meta: { createdAt: withOffset(createdAt) } });
  },
  accepted: ({ quoteId, transactionId, acceptedAt }) =>
    json(200, {
      data: { quote: { id: quoteId, state: "ACCEPTED" }, transaction: { id: transactionId } },
      meta: { acceptedAt: withOffset(acceptedAt) },
    }),
  subscribed: ({ subscriptionId, url, events }) =>
    json(200, { data: { webhook: { id: subscriptionId, url, events } } }),
  refused: ({ code, message, status, headers }) =>
    json(status ?? statuses[code], { errors: [{ title: code.toLowerCase(), detail: message }] }, headers),
  notification: ({ transactionId, status, createdAt }, stamp = withOffset) => ({
    eventType: "TRANSACTION_STATUS_UPDATED",
    ...{ transactionId, status, createdAt: stamp(createdAt) },
    transaction: { id: transactionId, status: { code: status } },
  }),
  log: (notifications, hints) => ({ data: { notifications }, meta: hints }),
  entries: ({ eventType, sent, entryId }, stamp) => {
    const { url, state, attempts, createdAt } = sent;
    const delivery = { url, state, attempts: attempts.length };
    const sentAt = stamp(attempts[0]?.startedAt ?? createdAt);
    const payload = { ...nested.notification(sent, stamp), eventType };
    return [{ id: entryId, event: eventType, delivery, createdAt: sentAt, payload }];
  },
};

/** As plain, but for the log: an entry for each attempt, with a status and a time of its own, and the body as text. */
const attempts: AnswerForm = {
  ...plain,
  log: (logs, hints) => ({ logs, ...hints }),
  entries: ({ eventType, sent, entryId }, stamp) =>
    sent.attempts.map(({ startedAt, httpStatus }, nth) => ({
      id: `${entryId}-${nth + 1}`,
      ...{ eventType, attempt: nth + 1, httpStatus, status: isOk(httpStatus) ? "DELIVERED" : "FAILED" },
      createdAt: stamp(startedAt),
      request: { url: sent.url, body: JSON.stringify(plain.notification(sent, stamp)) },
    })),
};

/** A client that works with all of them assumes little that the specification does not say. */
export const forms = { plain, nested, attempts } as const satisfies Record<string, AnswerForm>;
export type Form = keyof typeof forms;
export const formNames = Object.keys(forms) as Form[];
