import type { Clock } from "../../runtime/clock.ts";
import type { Reading } from "../connection/exchange.ts";
import type { Transport } from "../connection/transport.ts";
import type { Call, Outcome, PartnerRequest } from "../types.ts";
import { bodyText } from "./answer.ts";
import { headersOf, type Credentials } from "./headers.ts";
import { maskFor, type Mask } from "./mask.ts";
import { classify, doubtfulStatuses } from "./outcome.ts";
import { readRetryAfter } from "./retry-after.ts";

export type QuoteCallOptions = {
  /** Comes before the path of every request. */
  basePath: string;
  /** Where the credentials come from. `reload` reads them again, after the partner refused them. Neither throws. */
  credentials: { current: () => Credentials; reload: () => void };
  /** `<partner_name>-<service_name>` */
  userAgent: string;
  /** Secrets beside the credentials that must not be seen in what is kept of an answer. */
  otherSecrets: () => readonly string[];
  maxResponseBytes: number;
  /** Statuses, and classes of them, that leave open whether an accept was executed, besides 408, 425 and 5xx: `409`, `4xx`. */
  acceptDoubtStatuses: readonly string[];
  clock: Pick<Clock, "now">;
  send: Transport["send"];
};

/** A reason is a line in a log, not a place for whatever the other side sent. */
const MAX_REASON_LENGTH = 300;

/** Masking what is so short that it is no secret would tear answers to pieces, and with them the quotations' identifiers. */
const isSecret = (text: string): boolean => text.length >= 4;

/** The calls that create and accept quotes. Each is one request, never repeated; see `exchange` for what its outcome rests on. */
export const quoteCalls = (options: QuoteCallOptions): Call => {
  const { credentials, otherSecrets, clock, maxResponseBytes, send } = options;
  const isDoubtful = doubtfulStatuses(options.acceptDoubtStatuses);

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

  return async (request, callOptions) => {
    const used = credentials.current();
    const mask = maskFor([used.accessToken, used.xToken, ...otherSecrets()].filter(isSecret));
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
