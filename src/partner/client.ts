import { bodyText } from "./answer.ts";
import type { Credentials, CredentialSource } from "./credentials.ts";
import { reloaderFor } from "./credentials.ts";
import type { Reading } from "./exchange.ts";
import { gateFor } from "./gate.ts";
import type { Mask } from "./mask.ts";
import { maskFor } from "./mask.ts";
import { classify, doubtfulStatuses } from "./outcome.ts";
import { readRetryAfter } from "./retry-after.ts";
import { transportFor, type TransportOptions } from "./transport.ts";
import type { Call, Outcome, PartnerRequest, Pass } from "./types.ts";

export type PartnerOptions = Omit<TransportOptions, "origin"> & {
  /** http or https; a path in it comes before every request's path. */
  baseUrl: URL;
  credentials: CredentialSource;
  /** `<partner_name>-<service_name>` */
  userAgent: string;
  /** Null for no limit. */
  maxPerSecond: number | null;
  maxResponseBytes: number;
  /** Statuses, and classes of them, that leave open whether an accept was executed, besides 408, 425 and 5xx: `409`, `4xx`. */
  acceptDoubtStatuses: readonly string[];
};

export type Partner = {
  /** To be had before a call, and before what the call is claimed with: a claim has no time to wait. */
  pass: () => Pass;
  call: Call;
  /** Sends nothing more, and resolves when no call is open. */
  close: () => Promise<void>;
};

/** A reason is a line in a log, not a place for whatever the other side sent. */
const MAX_REASON_LENGTH = 300;

/** The partner's API. Every call is one request, never repeated; see `exchange` for what its outcome rests on. */
export const createPartner = (options: PartnerOptions): Partner => {
  const { baseUrl, credentials, proxy, clock, maxResponseBytes } = options;
  const isDoubtful = doubtfulStatuses(options.acceptDoubtStatuses);
  const passFor = gateFor({ maxOpen: options.maxConnections, maxPerSecond: options.maxPerSecond, clock });
  const { send, close } = transportFor({ ...options, origin: new URL(baseUrl.origin) });
  const reload = reloaderFor({ source: credentials, clock });
  const maskOf = maskKeeper(() => proxy?.().password ?? "");
  const basePath = baseUrl.pathname.replace(/\/+$/, "");
  const open = new Set<Promise<Outcome>>();

  const outcomeOf = ({ operation }: PartnerRequest, reading: Reading, mask: Mask): Outcome => {
    const reason = mask(reading.reason, MAX_REASON_LENGTH);
    if (!reading.sent) return { kind: "notSent", reason };
    const { status, headers, body, complete } = reading;
    if (status === null) return { kind: "unknown", reason, answer: null };
    const encoding = headers["content-encoding"];
    const text = complete
      ? bodyText(body, { encoding: String(encoding ?? ""), maxBytes: maxResponseBytes, mask })
      : null;
    const retryAfterMs = readRetryAfter(headers["retry-after"], clock.now());
    return classify(operation, { httpStatus: status, body: text, retryAfterMs }, isDoubtful);
  };

  const callOnce: Call = async (request, callOptions) => {
    const used = credentials.current();
    const mask = maskOf(used);
    const reading = await send(
      {
        method: request.method,
        path: basePath + request.path,
        headers: headersOf(used, options.userAgent),
        body: request.body,
        maxBodyBytes: maxResponseBytes + mask.marginBytes,
      },
      callOptions,
    );
    const outcome = outcomeOf(request, reading, mask);
    if (outcome.kind === "unauthorized") await reload(used);
    return outcome;
  };

  return {
    pass: passFor,
    call: async (request, callOptions) => {
      const outcome = callOnce(request, callOptions);
      open.add(outcome);
      return outcome.finally(() => open.delete(outcome));
    },
    close: async () => {
      close();
      await Promise.all(open);
    },
  };
};

/** The partner's five headers, in its own spelling. */
const headersOf = ({ accessToken, xToken }: Credentials, userAgent: string): string[] => [
  ...["Authorization", `Bearer ${accessToken}`],
  ...["x-token", xToken],
  ...["Content-Type", "application/json"],
  ...["accept", "application/json"],
  ...["User-Agent", userAgent],
];

/** Masking what is so short that it is no secret would tear answers to pieces, and with them the quotations' identifiers. */
const isSecret = (text: string): boolean => text.length >= 4;

/** Secrets change rarely, so the mask for them is kept. */
const maskKeeper = (proxyPassword: () => string): ((credentials: Credentials) => Mask) => {
  let kept: { secrets: readonly string[]; mask: Mask } | null = null;
  return ({ accessToken, xToken }) => {
    const password = proxyPassword();
    const secrets = [accessToken, xToken, password];
    if (!kept?.secrets.every((secret, i) => secret === secrets[i]))
      kept = { secrets, mask: maskFor([...secrets, decodeURIComponent(password)].filter(isSecret)) };
    return kept.mask;
  };
};
