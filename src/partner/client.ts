import { quoteCalls, type QuoteCallOptions } from "./calls/quotes.ts";
import { gateFor } from "./connection/gate.ts";
import { transportFor, type TransportOptions } from "./connection/transport.ts";
import type { Call, Outcome, Pass } from "./types.ts";

export type PartnerOptions = Omit<TransportOptions, "origin"> &
  Omit<QuoteCallOptions, "basePath" | "otherSecrets" | "send"> & {
    /** http or https; a path in it comes before every request's path. */
    baseUrl: URL;
    maxConnections: number;
    /** Null for no limit. */
    maxPerSecond: number | null;
  };

export type Partner = {
  /** To be had before a call, and before what the call is claimed with: a claim has no time to wait. */
  pass: () => Pass;
  call: Call;
  /** Sends nothing more, and resolves when no call is open. */
  close: () => Promise<void>;
};

/** The partner's API. */
export const createPartner = (options: PartnerOptions): Partner => {
  const { baseUrl, proxy, clock, maxConnections, maxPerSecond } = options;
  const { send, close } = transportFor({ ...options, origin: new URL(baseUrl.origin) });
  const call = quoteCalls({
    ...options,
    basePath: baseUrl.pathname.replace(/\/+$/, ""),
    otherSecrets: () => {
      const password = proxy?.().password ?? "";
      return [password, decodeURIComponent(password)];
    },
    send,
  });
  const open = new Set<Promise<Outcome>>();

  return {
    pass: gateFor({ maxOpen: maxConnections, maxPerSecond, clock }),
    call: async (request, callOptions) => {
      const outcome = call(request, callOptions);
      open.add(outcome);
      return outcome.finally(() => open.delete(outcome));
    },
    close: async () => {
      close();
      await Promise.all(open);
    },
  };
};
