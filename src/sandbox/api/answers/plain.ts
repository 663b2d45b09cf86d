import { json } from "../../runtime/answer.ts";
import { statusOf } from "./refusals.ts";
import type { AnswersProfile } from "./types.ts";

/** The default: flat camel-case objects, 201 for what was made, ISO instants in UTC. */
export const plain: AnswersProfile = {
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
  log: (entries, stamp) =>
    json(
      200,
      entries.map((entry) => ({
        eventType: entry.eventType,
        url: entry.url,
        createdAt: stamp(entry.createdAt),
        status: entry.status,
        transactionId: entry.transactionId,
        attempts: entry.attempts.length,
        delivered: entry.state === "delivered",
      })),
    ),
  refused: (refusal) =>
    json(statusOf(refusal), { error: { code: refusal.code, message: refusal.message } }, refusal.headers),
  notification: ({ transactionId, status, createdAt }, stamp) => ({
    createdAt: stamp(createdAt),
    status,
    transactionId,
  }),
};
