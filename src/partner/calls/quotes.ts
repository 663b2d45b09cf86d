import type { Clock } from "../../runtime/clock.ts";
import type { ExchangeResult } from "../connection/exchange.ts";
import type { Transport } from "../connection/transport.ts";
import type { Call, Outcome, PartnerRequest } from "../types.ts";
import { answerOf } from "./answer.ts";
import { headersOf, type Caller } from "./headers.ts";
import { MAX_REASON_LENGTH, type Mask } from "../../runtime/mask.ts";
import { classify, doubtfulStatuses } from "./outcome.ts";

export type QuoteCallOptions = Caller & {
  maxResponseBytes: number;
  /**
   * Statuses and classes (`409`, `4xx`) that do not prove whether an accept was executed, besides 408, 425
   * and 5xx.
   */
  acceptDoubtStatuses: readonly string[];
  clock: Pick<Clock, "now">;
  send: Transport["send"];
};

/**
 * Creates and accepts quotes. Each call is one request, never repeated; see `exchange` for the evidence of
 * its outcome.
 */
export const quoteCalls = (options: QuoteCallOptions): Call => {
  const { credentials, clock, maxResponseBytes, send } = options;
  const isDoubtful = doubtfulStatuses(options.acceptDoubtStatuses);

  const outcomeOf = ({ operation }: PartnerRequest, result: ExchangeResult, mask: Mask): Outcome => {
    const reason = mask(result.reason, MAX_REASON_LENGTH);
    if (!result.sent) return { kind: "notSent", reason };
    const answer = answerOf(result, { maxBytes: maxResponseBytes, mask, nowMs: clock.now() });
    if (answer === null) return { kind: "unknown", reason, answer };
    return classify(operation, answer, isDoubtful);
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
