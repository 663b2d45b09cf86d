import { json } from "../../runtime/answer.ts";
import { statusOf } from "./refusals.ts";
import type { AnswersProfile } from "./types.ts";

/** Everything inside an envelope, 200 throughout, instants with São Paulo's offset, further fields in notifications. */
export const nested: AnswersProfile = {
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
    around: (notifications, hints, count) => ({ data: { notifications }, meta: { total: count, ...hints } }),
    about: ({ eventType, notification: { entryId, url, state, attempts }, attempt }) => ({
      id: `ntf-${entryId}`,
      event: eventType,
      delivery: { url, state, ...(attempt ?? { attempts: attempts.length }) },
    }),
    flat: (change, stamp) => nested.notification(change, stamp),
    field: "payload",
    nests: true,
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
