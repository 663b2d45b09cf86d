import { json } from "../../runtime/answer.ts";
import { statusOf } from "./refusals.ts";
import type { AnswersProfile } from "./types.ts";

/**
 * Answers in snake case, 202 for an accept, instants as epoch seconds. Notifications keep the specified
 * names.
 */
export const snakeProfile: AnswersProfile = {
  ids: "uuid",
  createdAt: "epoch-seconds",
  created: (quote, stamp) =>
    json(201, {
      quote_id: quote.quoteId,
      quoted_amount: quote.quotedAmount,
      expires_at: stamp(quote.expiresAt),
    }),
  accepted: ({ quoteId, acceptedAt }, stamp) =>
    json(202, { quote_id: quoteId, accepted_at: stamp(acceptedAt) }),
  subscribed: ({ subscriptionId }) => json(201, { webhook_id: subscriptionId }),
  log: {
    envelope: (logs, hints) => ({ logs, ...hints }),
    entryFields: ({ eventType, notification, sentAt, attempt }, stamp) => ({
      event_type: eventType,
      webhook_url: notification.url,
      ...(attempt && { attempt_number: attempt.nth, sent_at: stamp(sentAt) }),
      success: notification.state === "delivered",
    }),
    flatFields: ({ transactionId, status, createdAt }, stamp) => ({
      transaction_id: transactionId,
      transaction_status: status,
      created_at: stamp(createdAt),
    }),
    notificationField: "notification",
    nestsByDefault: false,
  },
  refused: (refusal) =>
    json(
      statusOf(refusal, { QUOTE_ALREADY_ACCEPTED: 422, QUOTE_EXPIRED: 400, QUOTE_NOT_OF_TODAY: 400 }),
      { error_code: refusal.code, error_description: refusal.message },
      refusal.headers,
    ),
  notification: ({ transactionId, status, createdAt }, stamp) => ({
    transactionId,
    status,
    createdAt: stamp(createdAt),
  }),
};
