import type { Call, Outcome } from "../types.ts";
import { findQuoteId, findTransactionId, quoteIdOfLocation } from "./find-quote-id.ts";
import { classify, doubtfulStatuses } from "./outcome.ts";
import { saysFailed } from "../../runtime/says-failed.ts";
import type { SendRequest } from "./request.ts";

export type QuoteCallOptions = {
  /**
   * Statuses and classes (`409`, `4xx`) that do not prove whether an accept was executed, besides 408, 425
   * and 5xx.
   */
  acceptDoubtStatuses: readonly string[];
  /** Where the quoteId is in the answer to a create; null to search for it. */
  quoteIdPointer: string | null;
  /** Where the transactionId is in the answer to an accept; null for the one member of that name. */
  transactionIdPointer: string | null;
};

/**
 * Creates and accepts quotes. Each call is one request, never repeated; see `exchange` for the evidence of
 * its outcome.
 */
export const quoteCalls = (
  { acceptDoubtStatuses, quoteIdPointer, transactionIdPointer }: QuoteCallOptions,
  send: SendRequest,
): Call => {
  const isDoubtful = doubtfulStatuses(acceptDoubtStatuses);

  return async (request, callOptions): Promise<Outcome> => {
    const sent = await send(request, callOptions);
    if (sent.kind !== "answered") return sent;
    const { received, location } = sent;
    const isAccept = request.operation === "ACCEPT_QUOTE";
    const transactionId = isAccept ? findTransactionId(sent.answer.body, transactionIdPointer) : null;
    const answer = transactionId === null ? sent.answer : { ...sent.answer, transactionId };
    const outcome = classify(request.operation, answer, isDoubtful);
    if (outcome.kind !== "executed") return outcome;
    const quoteId = isAccept
      ? null
      : (findQuoteId(answer.body, quoteIdPointer) ?? quoteIdOfLocation(location, request.path));
    if (quoteId !== null) return { kind: "executed", answer: { ...answer, quoteId } };
    return saysFailed(received) ? { kind: "unclear", answer } : outcome;
  };
};
