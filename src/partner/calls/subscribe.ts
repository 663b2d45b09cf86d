import type { CallOptions, SubscribeOutcome, Subscription } from "../types.ts";
import type { SendRequest } from "./request.ts";

/**
 * Subscribes to notifications: one request, never repeated, because a second subscription may deliver all
 * twice. Never rejects.
 */
export const subscribeCall =
  (send: SendRequest) =>
  (subscription: Subscription, callOptions: CallOptions): Promise<SubscribeOutcome> => {
    const path = "/corporate/v1/webhook/subscribe";
    const body = JSON.stringify(subscription);
    return send({ method: "POST", path, body }, callOptions, [new URL(subscription.url).password]);
  };
