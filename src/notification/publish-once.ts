import type { Source, TransactionStatusUpdated } from "../records.ts";
import type { EventWindow } from "./event-window.ts";
import { identityOf } from "./identity.ts";
import { InFlight } from "./in-flight.ts";
import { combined, NOTHING_KNOWN, type Known } from "./known.ts";
import type { Notification } from "./notification.ts";
import { translate } from "./translate.ts";

/** Where a record stands in its topic. */
export type Place = { partition: number; offset: number };

/** The topic takes no event of this size, however often it is published. */
export class EventRefused extends Error {
  override readonly name = "EventRefused";
}

export type PublishPorts = {
  /** Resolves when all in-sync replicas have the event; rejects when that is not known in time, or with EventRefused. */
  publish: (
    event: TransactionStatusUpdated,
    traceparent: string | null,
    tracestate: string | null,
  ) => Promise<Place>;
  /** What was published lately. `note` hears of each event that is durable. */
  memory: Pick<EventWindow, "seen" | "about"> & {
    note: (identity: string, event: TransactionStatusUpdated, place: Place) => void;
  };
  /** Milliseconds since the Unix epoch. */
  now: () => number;
};

export type Arrival = {
  receivedAt: number;
  source: Source;
  traceparent: string | null;
  tracestate?: string | null | undefined;
  /** What is known of the transaction beside what the memory holds. */
  known?: Known;
};

export type Published =
  | { kind: "published"; event: TransactionStatusUpdated; place: Place }
  | { kind: "duplicate"; event: TransactionStatusUpdated };

export type PublishOnce = (notification: Notification, arrival: Arrival) => Promise<Published>;

/**
 * Publishes the event of a notification that was not published lately. Resolves when it is durable. A duplicate of one in flight waits for the
 * same acknowledgement instead of adding a record, whichever flow it came by.
 */
export const publishOnce = ({ publish, memory, now }: PublishPorts): PublishOnce => {
  const inFlight = new InFlight<Place>();

  return async (
    notification,
    { receivedAt, source, traceparent, tracestate = null, known = NOTHING_KNOWN },
  ) => {
    const nowMs = now();
    const { transactionId } = notification;
    const remembered = combined(known, memory.about(transactionId, nowMs));
    const event = translate(notification, {
      receivedAt,
      source,
      known: inFlight.about(transactionId, remembered),
    });
    const identity = identityOf(event);
    if (memory.seen(identity, nowMs)) return { kind: "duplicate", event };
    const earlier = inFlight.find(transactionId, identity);
    if (earlier) {
      await earlier;
      return { kind: "duplicate", event };
    }
    const published = publish(event, traceparent, tracestate);
    inFlight.add({ identity, event, published });
    try {
      const place = await published;
      memory.note(identity, event, place);
      return { kind: "published", event, place };
    } finally {
      inFlight.remove(transactionId, identity);
    }
  };
};
