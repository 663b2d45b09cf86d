import { json } from "../../runtime/answer.ts";
import { statusOf } from "./refusals.ts";
import type { AnswersProfile } from "./types.ts";

/** Everything in an envelope, always 200, instants with São Paulo's offset, more fields in notifications. */
export const nestedProfile: AnswersProfile = {
  ids: "uuid",
  createdAt: "offset",
  created: (quote, stamp) =>
    json(200, {
      data: {
        quote: {
          id: quote.quoteId,
          state: "OPEN",
          validUntil: stamp(quote.expiresAt),
          amounts: { quoted: { value: quote.quotedAmount, currency: quote.quotedCurrencyIso } },
        },
      },
      meta: { createdAt: stamp(quote.createdAt) },
    }),
  accepted: ({ quoteId, transactionId, acceptedAt }, stamp) =>
    json(200, {
      data: { quote: { id: quoteId, state: "ACCEPTED" }, transaction: { id: transactionId } },
      meta: { acceptedAt: stamp(acceptedAt) },
    }),
  subscribed: ({ subscriptionId, url, events }) =>
    json(200, { data: { webhook: { id: subscriptionId, url, events } } }),
  log: {
    envelope: (notifications, hints, count) => ({
      data: { notifications },
      meta: { total: count, ...hints },
    }),
    entryFields: ({ eventType, notification: { entryId, url, state, attempts }, attempt }) => ({
      id: `ntf-${entryId}`,
      event: eventType,
      delivery: { url, state, ...(attempt ?? { attempts: attempts.length }) },
    }),
    flatFields: (change, stamp) => nestedProfile.notification(change, stamp),
    notificationField: "payload",
    nestsByDefault: true,
  },
  refused: (refusal) =>
    json(
      statusOf(refusal, { INVALID_REQUEST: 422, QUOTE_EXPIRED: 410, QUOTE_NOT_OF_TODAY: 410 }),
      { errors: [{ title: refusal.code.toLowerCase(), detail: refusal.message }] },
      refusal.headers,
    ),
  notification: ({ transactionId, status, createdAt }, stamp) => ({
    eventType: "TRANSACTION_STATUS_UPDATED",
    transactionId,
    status,
    createdAt: stamp(createdAt),
    transaction: { id: transactionId, status: { code: status } },
  }),
};
