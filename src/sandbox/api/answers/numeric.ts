import { json } from "../../runtime/answer.ts";
import { plainProfile } from "./plain.ts";
import type { AnswersProfile } from "./types.ts";

/** Ids are JSON numbers, and instants are epoch milliseconds. */
export const numericProfile: AnswersProfile = {
  ...plainProfile,
  ids: "number",
  createdAt: "epoch-millis",
  created: (quote, stamp) =>
    json(200, {
      id: Number(quote.quoteId),
      validUntil: stamp(quote.expiresAt),
      createdAt: stamp(quote.createdAt),
    }),
  accepted: ({ transactionId }) =>
    json(200, { id: transactionId === null ? null : Number(transactionId), success: true }),
  notification: ({ transactionId, status, createdAt }, stamp) => ({
    createdAt: stamp(createdAt),
    status,
    // Transactions that were started over the control API may have any id.
    transactionId: /^\d{1,15}$/.test(transactionId) ? Number(transactionId) : transactionId,
  }),
};
