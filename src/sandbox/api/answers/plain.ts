import { json } from "../../runtime/answer.ts";
import { statusOf } from "./refusals.ts";
import type { AnswersProfile, LogForm } from "./types.ts";

export const plainLog: LogForm = {
  envelope: (entries, hints) => (Object.keys(hints).length === 0 ? entries : { entries, ...hints }),
  entryFields: ({ eventType, notification, sentAt, attempt }, stamp) => ({
    eventType,
    url: notification.url,
    ...(attempt
      ? { attempt: attempt.nth, sentAt: stamp(sentAt), httpStatus: attempt.httpStatus }
      : { attempts: notification.attempts.length }),
    delivered: notification.state === "delivered",
  }),
  flatFields: ({ createdAt, status, transactionId }, stamp) => ({
    createdAt: stamp(createdAt),
    status,
    transactionId,
  }),
  notificationField: "notification",
  nestsByDefault: false,
};

/** The default: flat objects in camel case, 201 for what was created, ISO instants in UTC. */
export const plainProfile: AnswersProfile = {
  ids: "uuid",
  createdAt: "iso-millis",
  created: (quote, stamp) =>
    json(201, {
      quoteId: quote.quoteId,
      status: "CREATED",
      direction: quote.direction,
      purpose: quote.purpose,
      quotedAmount: quote.quotedAmount,
      baseCurrencyIso: quote.baseCurrencyIso,
      quotedCurrencyIso: quote.quotedCurrencyIso,
      createdAt: stamp(quote.createdAt),
      expiresAt: stamp(quote.expiresAt),
    }),
  accepted: ({ quoteId, transactionId, acceptedAt, externalId }, stamp) =>
    json(200, { quoteId, status: "ACCEPTED", transactionId, acceptedAt: stamp(acceptedAt), externalId }),
  subscribed: ({ subscriptionId, url, events, createdAt }, stamp) =>
    json(201, { subscriptionId, url, events, createdAt: stamp(createdAt) }),
  log: plainLog,
  refused: (refusal) =>
    json(statusOf(refusal), { error: { code: refusal.code, message: refusal.message } }, refusal.headers),
  notification: ({ transactionId, status, createdAt }, stamp) => ({
    createdAt: stamp(createdAt),
    status,
    transactionId,
  }),
};
