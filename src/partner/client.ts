import { fetchLogWith } from "./calls/notification-log.ts";
import { maskedBytes, spelledInBytes } from "./calls/mask-stream.ts";
import { quoteCalls } from "./calls/quotes.ts";
import { requestWith, type Prepare } from "./calls/request.ts";
import { connectFor } from "./connection/connect.ts";
import { downloadFor } from "./connection/download.ts";
import { createCallLimiter } from "./connection/call-limiter.ts";
import { transportFor } from "./connection/transport.ts";
import { madeFrom, maskFor } from "../runtime/mask.ts";
import { passwordsIn } from "../runtime/percent.ts";
import type { Call, CallOptions, Credentials, PartnerOptions } from "./types.ts";
import type { SubscribeOutcome, Subscription } from "./types.ts";

export type Partner = ReturnType<typeof createPartner>;

/** The partner's five headers, spelled as its documentation does. */
const headersOfCall = ({ accessToken, xToken }: Credentials, userAgent: string): string[] => [
  ...["Authorization", `Bearer ${accessToken}`],
  ...["x-token", xToken],
  ...["Content-Type", "application/json"],
  ...["accept", "application/json"],
  ...["User-Agent", userAgent],
];

/** The client of the partner's API. One per process, because its limits hold for all calls together. */
export const createPartner = (options: PartnerOptions) => {
  const { baseUrl, secrets, credentials, userAgent } = options;
  const origin = new URL(baseUrl.origin);
  const basePath = baseUrl.pathname.replace(/\/+$/, "");
  const connect = connectFor({ ...options, origin });
  const { send, close } = transportFor({ ...options, origin, connect });
  const { permit, shareRate, backlog, turnBehindOthers } = createCallLimiter(options);
  const closed = new AbortController();

  const maskOf = madeFrom(maskFor);
  const prepare: Prepare = (path, moreSecrets) => {
    const headers = headersOfCall(credentials.current(), userAgent);
    const mask = maskOf(moreSecrets ? [...secrets(), ...moreSecrets] : secrets());
    return { path: basePath + path, headers, mask };
  };
  const sendRequest = requestWith({ ...options, prepare, send });
  const callQuotes = quoteCalls(options, sendRequest);
  const open = new Set<Promise<unknown>>();
  const tracked = <T>(outcome: Promise<T>): Promise<T> => {
    open.add(outcome);
    return outcome.finally(() => open.delete(outcome));
  };
  const call: Call = (request, callOptions) => tracked(callQuotes(request, callOptions));

  return {
    /** Acquire one before the claim of a call. Once claimed, there is no time to wait. */
    permit,
    shareRate,
    backlog,
    call,
    /** Subscribes to notifications: one request, never repeated, as a second one may deliver all twice. Never rejects. */
    subscribe: (subscription: Subscription, callOptions: CallOptions): Promise<SubscribeOutcome> => {
      const body = JSON.stringify(subscription);
      const request = { method: "POST", path: "/corporate/v1/webhook/subscribe", body } as const;
      return tracked(sendRequest(request, callOptions, passwordsIn(new URL(subscription.url))));
    },
    /** Reads the notification log over a connection of its own. Calls with a permit have their turn first. */
    fetchLog: fetchLogWith({
      ...options,
      prepare,
      download: downloadFor({ ...options, origin, connect }),
      turnBehindOthers,
      closed: closed.signal,
    }),
    /** Masks every secret that is known now. */
    mask: (text: string): string => maskOf(secrets())(text),
    /** Masks a stream of bytes. `hid` is called with the number of secrets each time that some were masked. */
    masked: (chunks: AsyncIterable<Uint8Array>, hid: (secrets: number) => void) => {
      const spelled = secrets().flatMap((secret) => [secret, spelledInBytes(secret)]);
      return maskedBytes(chunks, maskFor(spelled), hid);
    },
    /** Sends nothing more, cuts off the reading of the log, and resolves when no call is open. */
    close: async (): Promise<void> => {
      close();
      closed.abort(new Error("the process stops"));
      await Promise.all(open);
    },
  };
};
