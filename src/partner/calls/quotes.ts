import type { Clock } from "../../runtime/clock.ts";
import type { ExchangeResult } from "../connection/exchange.ts";
import type { Transport } from "../connection/transport.ts";
import type { Call, Outcome, PartnerRequest } from "../types.ts";
import { answerOf } from "./answer.ts";
import { findQuoteId, quoteIdOfLocation } from "./find-quote-id.ts";
import { headersOf, type Caller } from "./headers.ts";
import { MAX_REASON_LENGTH, type Mask } from "../../runtime/mask.ts";
import { classify, doubtfulStatuses } from "./outcome.ts";
import { saysFailed } from "./says-failed.ts";

export type QuoteCallOptions = Caller & {
  maxResponseBytes: number;
  /**
   * Statuses and classes (`409`, `4xx`) that do not prove whether an accept was executed, besides 408, 425
   * and 5xx.
   */
  acceptDoubtStatuses: readonly string[];
  /** Where the quoteId is in the answer to a create; null to search for it. */
  quoteIdPointer: string | null;
  clock: Pick<Clock, "now">;
  send: Transport["send"];
};

/**
 * Creates and accepts quotes. Each call is one request, never repeated; see `exchange` for the evidence of
 * its outcome.
 */
export const quoteCalls = (options: QuoteCallOptions): Call => {
  const { credentials, clock, maxResponseBytes, quoteIdPointer, send } = options;
  const isDoubtful = doubtfulStatuses(options.acceptDoubtStatuses);

  const outcomeOf = ({ operation, path }: PartnerRequest, result: ExchangeResult, mask: Mask): Outcome => {
    const reason = mask(result.reason, MAX_REASON_LENGTH);
    if (!result.sent) return { kind: "notSent", reason };
    const read = answerOf(result, { maxBytes: maxResponseBytes, mask, nowMs: clock.now() });
    if (read === null) return { kind: "unknown", reason, answer: null };
    const { answer, received } = read;
    const outcome = classify(operation, answer, isDoubtful);
    if (outcome.kind !== "executed") return outcome;
    const location = mask(String(result.headers.location ?? ""));
    const quoteId =
      operation === "CREATE_QUOTE"
        ? (findQuoteId(answer.body, quoteIdPointer) ?? quoteIdOfLocation(location, path))
        : null;
    if (quoteId !== null) return { kind: "executed", answer: { ...answer, quoteId } };
    return saysFailed(received) ? { kind: "unclear", answer } : outcome;
  };

  return async (request, callOptions) => {
    const used = credentials.current();
    const mask = options.maskOf(used);
    const result = await send(
      {
        method: request.method,
        path: options.basePath + request.path,
        headers: headersOf(used, options.userAgent),
        body: request.body,
        maxBodyBytes: maxResponseBytes + mask.marginBytes,
      },
      callOptions,
    );
    const outcome = outcomeOf(request, result, mask);
    if (outcome.kind === "unauthorized") credentials.reload();
    return outcome;
  };
};
