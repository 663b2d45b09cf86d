import { EventRefused, type Place, type Published, type PublishOnce } from "../notification/publish-once.ts";
import { readTraceparent, readTracestate } from "../runtime/traceparent.ts";
import type { Span } from "../runtime/traces.ts";
import type { RawDelivery } from "./delivery.ts";
import { parse } from "./parse.ts";
import type { Verification } from "./verify.ts";

/** A notification that is authentic and not understood, as it is kept for a person to look at. */
export type UnreadableNotification = {
  body: Buffer;
  detail: string;
  receivedAt: number;
  span?: Span | undefined;
};

const REFUSED = "understood, but its event is larger than the topic takes";

/** What the flow does outside of itself. */
export type WebhookPorts = {
  verify: (delivery: RawDelivery, nowMs: number) => Verification;
  /** Rejects when the event is not known to be durable in time, or with EventRefused. */
  publishOnce: PublishOnce;
  /** Resolves when all in-sync replicas have the dead letter. */
  park: (notification: UnreadableNotification) => Promise<Place>;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
};

/** What became of a delivery. The event is named where there is one. */
export type Reception =
  Published | { kind: "deadLettered"; detail: string; place: Place } | { kind: "refused"; status: 401 | 404 };

/**
 * The whole way of a notification. Resolves when its event, or its dead letter, is durable: only then may the partner hear a 2xx. Rejects
 * when that could not be had in time, or where the event cannot be written as Avro; the partner sends it again, and the same notification
 * gets the same eventId.
 */
export const webhooksToEvents = (ports: WebhookPorts): ((delivery: RawDelivery) => Promise<Reception>) => {
  const park = async ({ body, receivedAt, span }: RawDelivery, detail: string): Promise<Reception> => ({
    kind: "deadLettered",
    detail,
    place: await ports.park({ body, detail, receivedAt, span }),
  });

  return async (raw) => {
    const verification = ports.verify(raw, ports.now());
    if (!verification.ok) return { kind: "refused", status: verification.status };

    const parsed = parse(verification.delivery);
    if (!parsed.ok) return park(raw, parsed.detail);

    const { receivedAt, span, headers } = raw;
    const traceparent = span ? span.traceparent : readTraceparent(headers["traceparent"]);
    const tracestate = span ? span.tracestate : readTracestate(headers["tracestate"]);
    const arrival = { receivedAt, source: "WEBHOOK", traceparent, tracestate } as const;
    try {
      return await ports.publishOnce(parsed.notification, arrival);
    } catch (error) {
      // A 503 would bring it again until the sender gives up.
      if (error instanceof EventRefused) return await park(raw, REFUSED);
      throw error;
    }
  };
};
