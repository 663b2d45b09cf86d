import type { TransactionStatusUpdated } from "../records.ts";
import type { RawDelivery } from "./delivery.ts";
import type { EventWindow, Recollection } from "./event-window.ts";
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
    note: (event: TransactionStatusUpdated, place: Place, recollection: Recollection) => void;
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

const traceparentOf = ({ headers }: RawDelivery): string | null => {
  const value = headers["traceparent"];
  return typeof value === "string" ? value : null;
};

/**
 * The whole way of a notification. Resolves when its event, or its dead letter, is durable: only then may the partner hear a 2xx. Rejects
 * when that could not be had in time, and throws where the event cannot be written as Avro; the partner sends it again, and the same
 * notification gets the same eventId.
 */
export const webhooksToEvents = (ports: WebhookPorts): ((delivery: RawDelivery) => Promise<Reception>) => {
  const { memory } = ports;
  /** A duplicate of an event in flight waits for the same acknowledgement instead of adding a record. */
  const inFlight = new InFlight<Place>();

  const park = async ({ body, receivedAt }: RawDelivery, detail: string): Promise<Reception> => {
    const place = await ports.park({ body, detail, receivedAt });
    return { kind: "deadLettered", detail, place };
  };

  const publish = (
    event: TransactionStatusUpdated,
    raw: RawDelivery,
    recollection: Recollection,
  ): Promise<Reception> => {
    const publishing = ports.publish(event, traceparentOf(raw));
    inFlight.add(event, publishing);
    return publishing.then(
      (place) => {
        inFlight.remove(event);
        memory.note(event, place, recollection);
        return { kind: "published", event, place };
      },
      (error: unknown) => {
        inFlight.remove(event);
        // A 503 would bring it again until the sender gives up.
        if (error instanceof EventRefused) return park(raw, REFUSED);
        throw error;
      },
    );
  };

  // Without `async`: thousands of its frames would wait for Kafka, and V8 copies what waits.
  return (raw) => {
    const nowMs = ports.now();
    const verification = ports.verify(raw, nowMs);
    if (!verification.ok) return Promise.resolve({ kind: "refused", status: verification.status });

    const parsed = parse(verification.delivery);
    if (!parsed.ok) return park(raw, parsed.detail);

    const { notification } = parsed;
    const recollection = memory.about(notification.transactionId, nowMs);
    const known = inFlight.about(notification.transactionId, recollection.known);
    const event = translate(notification, { receivedAt: raw.receivedAt, source: "WEBHOOK", known });
    if (memory.seen(event.eventId, nowMs)) return Promise.resolve({ kind: "duplicate", event });

    const earlier = inFlight.find(event);
    if (earlier) return earlier.then(() => ({ kind: "duplicate", event }));
    return publish(event, raw, recollection);
  };
};
