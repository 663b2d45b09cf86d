import { logCalls, type LogCallOptions } from "./calls/logs.ts";
import type { Caller } from "./calls/headers.ts";
import { maskedBytes, spelledInBytes } from "./calls/mask-stream.ts";
import { maskFor } from "./calls/mask.ts";
import { quoteCalls, type QuoteCallOptions } from "./calls/quotes.ts";
import { subscribeCall } from "./calls/subscribe.ts";
import { connectFor, type ConnectOptions } from "./connection/connect.ts";
import { downloadFor } from "./connection/download.ts";
import { gateFor } from "./connection/gate.ts";
import { transportFor, type TransportOptions } from "./connection/transport.ts";
import type { Call, CallOptions, FetchLog, Pass, Subscribed, Subscription } from "./types.ts";

export type PartnerOptions = Omit<TransportOptions, "origin" | "connect"> &
  Omit<ConnectOptions, "origin"> &
  Omit<QuoteCallOptions, "basePath" | "maskOf" | "send"> &
  Pick<LogCallOptions, "logEndParameter" | "logMaxBytes"> & {
    /** http or https; a path in it comes before every request's path. */
    baseUrl: URL;
    maxConnections: number;
    /** Null for no limit. */
    maxPerSecond: number | null;
    /** Secrets beside the credentials and the proxy's that must not be seen in what is kept of an answer. */
    otherSecrets: () => readonly string[];
  };

export type Partner = {
  /** To be had before a call, and before what the call is claimed with: a claim has no time to wait. */
  pass: () => Pass;
  call: Call;
  /** Subscribes to notifications: one request, never repeated. Never rejects. */
  subscribe: (subscription: Subscription, options: CallOptions) => Promise<Subscribed>;
  /** Reads the notification log behind all calls: it begins when nobody waits, and is cut off with a GaveWayError when somebody has to. */
  fetchLog: FetchLog;
  /** Hides every secret that is known now. */
  mask: (text: string) => string;
  /** The same for bytes as they come; `hid` hears how many were hidden each time that some were. */
  masked: (chunks: AsyncIterable<Uint8Array>, hid: (secrets: number) => void) => AsyncIterable<Uint8Array>;
  /** Sends nothing more, ends what is read of the log, and resolves when no call is open. */
  close: () => Promise<void>;
};

/** Masking what is so short that it is no secret would tear answers to pieces, and with them the quotations' identifiers. */
const isSecret = (text: string): boolean => text.length >= 4;

/** The partner's API. One for the whole process: its limits hold for all calls together. */
export const createPartner = (options: PartnerOptions): Partner => {
  const { baseUrl, proxy, credentials, clock, maxConnections, maxPerSecond } = options;
  const origin = new URL(baseUrl.origin);
  const connect = connectFor({ ...options, origin });
  const { send, close } = transportFor({ ...options, origin, connect });
  const gate = gateFor({ maxOpen: maxConnections, maxPerSecond, clock });
  const closed = new AbortController();

  const secrets = ({ accessToken, xToken }: ReturnType<Caller["credentials"]["current"]>): string[] => {
    const password = proxy?.().password ?? "";
    const all = [accessToken, xToken, password, decodeURIComponent(password), ...options.otherSecrets()];
    return all.filter(isSecret);
  };
  const caller = {
    ...options,
    basePath: baseUrl.pathname.replace(/\/+$/, ""),
    maskOf: (used: Parameters<typeof secrets>[0]) => maskFor(secrets(used)),
    send,
  };
  const call = quoteCalls(caller);
  const subscribe = subscribeCall(caller);
  const open = new Set<Promise<unknown>>();
  const counted = <T>(outcome: Promise<T>): Promise<T> => {
    open.add(outcome);
    return outcome.finally(() => open.delete(outcome));
  };

  return {
    pass: gate.pass,
    call: (request, callOptions) => counted(call(request, callOptions)),
    subscribe: (subscription, callOptions) => counted(subscribe(subscription, callOptions)),
    fetchLog: logCalls({
      ...caller,
      download: downloadFor({ ...options, origin, connect }),
      background: gate.background,
      closed: closed.signal,
    }),
    mask: (text) => caller.maskOf(credentials.current())(text),
    masked: (chunks, hid) => {
      const known = secrets(credentials.current());
      return maskedBytes(chunks, maskFor([...known, ...known.map(spelledInBytes)]), hid);
    },
    close: async () => {
      close();
      closed.abort(new Error("the process stops"));
      await Promise.all(open);
    },
  };
};
