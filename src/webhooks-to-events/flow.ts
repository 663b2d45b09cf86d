import type { TransactionStatusUpdated } from "../records.ts";
import { readTraceparent } from "../runtime/traceparent.ts";
import type { RawDelivery } from "./delivery.ts";
import type { EventWindow } from "./event-window.ts";
import { InFlight } from "./in-flight.ts";
import { parse } from "./parse.ts";
import { translate } from "./translate.ts";
import type { Verification } from "./verify.ts";

/** Where a record stands in its topic. */
export type Place = { partition: number; offset: number };

/** A notification that is authentic and not understood, as it is kept for a person to look at. */
export type UnreadableNotification = { body: Buffer; detail: string; receivedAt: number };

/** The topic takes no event of this size, however often it is published. */
export class EventRefused extends Error {
  override readonly name = "EventRefused";
}
const REFUSED = "understood, but its event is larger than the topic takes";

/** What the flow does outside of itself. */
export type WebhookPorts = {
  verify: (delivery: RawDelivery, nowMs: number) => Verification;
  /** Resolves when all in-sync replicas have the event; rejects when that is not known in time, or with EventRefused. */
  publish: (event: TransactionStatusUpdated, traceparent: string | null) => Promise<Place>;
  /** Resolves when all in-sync replicas have the dead letter. */
  park: (notification: UnreadableNotification) => Promise<Place>;
  /** What was published lately. `note` hears of each event that is durable. */
  memory: Pick<EventWindow, "seen" | "about"> & {
    note: (event: TransactionStatusUpdated, place: Place) => void;
  };
  /** Milliseconds since the Unix epoch. */
  now: () => number;
};

/** What became of a delivery. The event is named where there is one. */
export type Reception =
  | { kind: "published"; event: TransactionStatusUpdated; place: Place }
  | { kind: "duplicate"; event: TransactionStatusUpdated }
  | { kind: "deadLettered"; detail: string; place: Place }
  | { kind: "refused"; status: 401 | 404 };

/**
 * The whole way of a notification. Resolves when its event, or its dead letter, is durable: only then may the partner hear a 2xx. Rejects
 * when that could not be had in time, or where the event cannot be written as Avro; the partner sends it again, and the same notification
 * gets the same eventId.
 */
export const webhooksToEvents = (ports: WebhookPorts): ((delivery: RawDelivery) => Promise<Reception>) => {
  const { memory } = ports;
  /** A duplicate of an event in flight waits for the same acknowledgement instead of adding a record. */
  const inFlight = new InFlight<Place>();

  const park = async ({ body, receivedAt }: RawDelivery, detail: string): Promise<Reception> => ({
    kind: "deadLettered",
    detail,
    place: await ports.park({ body, detail, receivedAt }),
  });

  const publish = async (event: TransactionStatusUpdated, raw: RawDelivery): Promise<Reception> => {
    const publishing = ports.publish(event, readTraceparent(raw.headers["traceparent"]));
    inFlight.add(event, publishing);
    try {
      const place = await publishing;
      memory.note(event, place);
      return { kind: "published", event, place };
    } catch (error) {
      // A 503 would bring it again until the sender gives up.
      if (error instanceof EventRefused) return await park(raw, REFUSED);
      throw error;
    } finally {
      inFlight.remove(event);
    }
  };

  return async (raw) => {
    const { receivedAt } = raw;
    const nowMs = ports.now();
    const verification = ports.verify(raw, nowMs);
    if (!verification.ok) return { kind: "refused", status: verification.status };

    const parsed = parse(verification.delivery);
    if (!parsed.ok) return park(raw, parsed.detail);

    const { notification } = parsed;
    const { transactionId } = notification;
    const known = inFlight.about(transactionId, memory.about(transactionId, nowMs));
    const event = translate(notification, { receivedAt, source: "WEBHOOK", known });
    if (memory.seen(event.eventId, nowMs)) return { kind: "duplicate", event };

    const earlier = inFlight.find(event);
    if (earlier) {
      await earlier;
      return { kind: "duplicate", event };
    }
    return publish(event, raw);
  };
};
