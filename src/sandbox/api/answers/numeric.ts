import { json } from "../../runtime/answer.ts";
import { plain } from "./plain.ts";
import type { AnswersProfile } from "./types.ts";

/** Identifiers are JSON numbers wherever a JSON body carries them, and instants are epoch milliseconds. */
export const numeric: AnswersProfile = {
  ...plain,
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
    // Transactions made over the control API may have any name.
    transactionId: /^\d{1,15}$/.test(transactionId) ? Number(transactionId) : transactionId,
  }),
};
