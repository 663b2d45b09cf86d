import { fetchLogWith, type FetchLogOptions } from "./calls/notification-log.ts";
import { maskedBytes, spelledInBytes } from "./calls/mask-stream.ts";
import { quoteCalls, type QuoteCallOptions } from "./calls/quotes.ts";
import { requestWith, type Credentials, type RequestOptions } from "./calls/request.ts";
import { connectFor, type ConnectOptions } from "./connection/connect.ts";
import { downloadFor } from "./connection/download.ts";
import { createCallLimiter } from "./connection/call-limiter.ts";
import { transportFor, type TransportOptions } from "./connection/transport.ts";
import { madeFrom } from "../runtime/made-from.ts";
import { isSecret, maskFor } from "../runtime/mask.ts";
import { passwordsIn } from "../runtime/percent.ts";
import type {
  Backlog,
  Call,
  CallOptions,
  FetchLog,
  CallPermit,
  SubscribeOutcome,
  Subscription,
} from "./types.ts";

export type PartnerOptions = Omit<TransportOptions, "origin" | "connect"> &
  Omit<ConnectOptions, "origin"> &
  Omit<RequestOptions, "basePath" | "maskOf" | "send"> &
  QuoteCallOptions &
  Pick<FetchLogOptions, "logEndParameter" | "logMaxBytes"> & {
    /** http or https. Its path, if any, is put before the path of every request. */
    baseUrl: URL;
    /** Connections for calls with a permit. A read of the log has another one. */
    maxConnections: number;
    /** The rate of all processes together; null for no limit. */
    maxPerSecond: number | null;
    /** Secrets to mask in what is kept of an answer, besides the credentials and the proxy password. */
    otherSecrets: () => readonly string[];
  };

export type Partner = {
  /** Acquire one before the claim of a call: once claimed, there is no time to wait. */
  permit: () => CallPermit;
  /** Says which part of the rate limit belongs to this process. Until then it starts one call a second at most. */
  shareRate: (share: () => number) => void;
  /** The calls that wait because the rate is used up; null while none does. */
  backlog: () => Backlog | null;
  call: Call;
  /** Subscribes to notifications: one request, never repeated, as a second one may deliver all twice. Never rejects. */
  subscribe: (subscription: Subscription, options: CallOptions) => Promise<SubscribeOutcome>;
  /** Reads the notification log over a connection of its own. Calls with a permit have their turn first. */
  fetchLog: FetchLog;
  /** Masks every secret that is known now. */
  mask: (text: string) => string;
  /**
   * Masks a stream of bytes. `hid` is called with the number of secrets each time that some were
   * masked.
   */
  masked: (chunks: AsyncIterable<Uint8Array>, hid: (secrets: number) => void) => AsyncIterable<Uint8Array>;
  /** Sends nothing more, cuts off the reading of the log, and resolves when no call is open. */
  close: () => Promise<void>;
};

/** The client of the partner's API. One per process, because its limits hold for all calls together. */
export const createPartner = (options: PartnerOptions): Partner => {
  const { baseUrl, proxy, credentials, clock, maxConnections, maxPerSecond } = options;
  const origin = new URL(baseUrl.origin);
  const connect = connectFor({ ...options, origin });
  const { send, close } = transportFor({ ...options, origin, connect });
  let shareOfRate = (): number => 0;
  const share = (): number => shareOfRate();
  const limiter = createCallLimiter({ maxOpen: maxConnections, maxPerSecond, share, clock });
  const closed = new AbortController();

  const secrets = ({ accessToken, xToken }: Credentials, more: readonly string[] = []): string[] => {
    const passwords = proxy ? passwordsIn(proxy()) : [];
    const ownSecrets = [accessToken, xToken, ...passwords, ...options.otherSecrets()];
    return [...ownSecrets, ...more].filter(isSecret);
  };
  const maskOfAll = madeFrom(maskFor);
  const caller = {
    ...options,
    basePath: baseUrl.pathname.replace(/\/+$/, ""),
    maskOf: (used: Credentials, more?: readonly string[]) => maskOfAll(secrets(used, more)),
  };
  const sendRequest = requestWith({ ...caller, send });
  const call = quoteCalls(options, sendRequest);
  const open = new Set<Promise<unknown>>();
  const tracked = <T>(outcome: Promise<T>): Promise<T> => {
    open.add(outcome);
    return outcome.finally(() => open.delete(outcome));
  };

  return {
    permit: limiter.permit,
    shareRate: (given) => void (shareOfRate = given),
    backlog: limiter.backlog,
    call: (request, callOptions) => tracked(call(request, callOptions)),
    subscribe: (subscription, callOptions) => {
      const request = {
        method: "POST",
        path: "/corporate/v1/webhook/subscribe",
        body: JSON.stringify(subscription),
      } as const;
      return tracked(sendRequest(request, callOptions, passwordsIn(new URL(subscription.url))));
    },
    fetchLog: fetchLogWith({
      ...caller,
      download: downloadFor({ ...options, origin, connect }),
      turnBehindOthers: limiter.turnBehindOthers,
      closed: closed.signal,
    }),
    mask: (text) => caller.maskOf(credentials.current())(text),
    masked: (chunks, hid) => {
      const ownSecrets = secrets(credentials.current());
      return maskedBytes(chunks, maskFor([...ownSecrets, ...ownSecrets.map(spelledInBytes)]), hid);
    },
    close: async () => {
      close();
      closed.abort(new Error("the process stops"));
      await Promise.all(open);
    },
  };
};
