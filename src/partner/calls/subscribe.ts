import type { Clock } from "../../runtime/clock.ts";
import type { Transport } from "../connection/transport.ts";
import type { CallOptions, SubscribeOutcome, Subscription } from "../types.ts";
import { answerOf } from "./answer.ts";
import { headersOf, type Caller } from "./headers.ts";
import { MAX_REASON_LENGTH } from "../../runtime/mask.ts";

export type SubscribeOptions = Caller & {
  maxResponseBytes: number;
  clock: Pick<Clock, "now">;
  send: Transport["send"];
};

/**
 * Subscribes to notifications: one request, never repeated, because a second subscription may deliver all
 * twice. Never rejects.
 */
export const subscribeCall =
  (options: SubscribeOptions) =>
  async (subscription: Subscription, callOptions: CallOptions): Promise<SubscribeOutcome> => {
    const { credentials, clock, maxResponseBytes } = options;
    const used = credentials.current();
    const mask = options.maskOf(used, [new URL(subscription.url).password]);
    const result = await options.send(
      {
        method: "POST",
        path: `${options.basePath}/corporate/v1/webhook/subscribe`,
        headers: headersOf(used, options.userAgent),
        body: JSON.stringify(subscription),
        maxBodyBytes: maxResponseBytes + mask.marginBytes,
      },
      callOptions,
    );
    const reason = mask(result.reason, MAX_REASON_LENGTH);
    if (!result.sent) return { kind: "notSent", reason };
    const read = answerOf(result, { maxBytes: maxResponseBytes, mask, nowMs: clock.now() });
    if (read?.answer.httpStatus === 401) credentials.reload();
    return read === null ? { kind: "unknown", reason } : { kind: "answered", answer: read.answer };
  };
