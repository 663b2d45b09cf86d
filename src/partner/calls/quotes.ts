import type { Clock } from "../../runtime/clock.ts";
import type { Reading } from "../connection/exchange.ts";
import type { Transport } from "../connection/transport.ts";
import type { Call, Outcome, PartnerRequest } from "../types.ts";
import { answerOf } from "./answer.ts";
import { headersOf, type Caller } from "./headers.ts";
import { MAX_REASON_LENGTH, type Mask } from "./mask.ts";
import { classify, doubtfulStatuses } from "./outcome.ts";

export type QuoteCallOptions = Caller & {
  maxResponseBytes: number;
  /** Statuses, and classes of them, that leave open whether an accept was executed, besides 408, 425 and 5xx: `409`, `4xx`. */
  acceptDoubtStatuses: readonly string[];
  clock: Pick<Clock, "now">;
  send: Transport["send"];
};

/** The calls that create and accept quotes. Each is one request, never repeated; see `exchange` for what its outcome rests on. */
export const quoteCalls = (options: QuoteCallOptions): Call => {
  const { credentials, clock, maxResponseBytes, send } = options;
  const isDoubtful = doubtfulStatuses(options.acceptDoubtStatuses);

  const outcomeOf = ({ operation }: PartnerRequest, reading: Reading, mask: Mask): Outcome => {
    const reason = mask(reading.reason, MAX_REASON_LENGTH);
    if (!reading.sent) return { kind: "notSent", reason };
    const answer = answerOf(reading, { maxBytes: maxResponseBytes, mask, nowMs: clock.now() });
    if (answer === null) return { kind: "unknown", reason, answer };
    return classify(operation, answer, isDoubtful);
  };

  return async (request, callOptions) => {
    const used = credentials.current();
    const mask = options.maskOf(used);
    const reading = await send(
      {
        method: request.method,
        path: options.basePath + request.path,
        headers: headersOf(used, options.userAgent),
        body: request.body,
        maxBodyBytes: maxResponseBytes + mask.marginBytes,
      },
      callOptions,
    );
    const outcome = outcomeOf(request, reading, mask);
    if (outcome.kind === "unauthorized") credentials.reload();
    return outcome;
  };
};
