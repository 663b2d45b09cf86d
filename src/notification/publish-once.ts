import type { TransactionStatusUpdated } from "../records.ts";
import { digestOf, type Digest } from "../runtime/digest.ts";
import type { RecordPosition } from "../runtime/record-position.ts";
import type { TraceContext } from "../runtime/traces.ts";
import { eventIdentity, type EventWindow, type WindowEvent } from "./event-window.ts";
import { factsWith, mergedFacts, NO_FACTS, type TransactionFacts } from "./transaction-facts.ts";
import type { Notification } from "./notification.ts";
import { translate, type EventContext } from "./translate.ts";

/** The broker refuses an event of this size. Trying again does not help. */
export class EventTooLarge extends Error {
  override readonly name = "EventTooLarge";
}

type PublishPorts = Pick<EventContext, "mask" | "eventFields"> & {
  /** Resolves when the event is durable. Rejects when that is not known in time, or with EventTooLarge. */
  publish: (event: TransactionStatusUpdated, trace: TraceContext | null) => Promise<RecordPosition>;
  window: EventWindow;
  /** Called once for each event that this call has made durable. */
  onPublished: (event: TransactionStatusUpdated, position: RecordPosition) => void;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
};

type PublishContext = Pick<EventContext, "receivedAt" | "source"> & {
  /** The trace that the event's record continues; null for none. */
  trace: TraceContext | null;
  /** What is known about the transaction beside what the window holds. */
  facts?: TransactionFacts;
};

/** The event of a duplicate has the eventId of the published one, or that of its own spelling if many came since. */
export type PublishOutcome =
  | { kind: "published"; event: TransactionStatusUpdated; position: RecordPosition }
  | { kind: "duplicate"; event: Pick<TransactionStatusUpdated, "eventId" | "transactionId" | "status"> };

export type PublishOnce = (notification: Notification, context: PublishContext) => Promise<PublishOutcome>;

type InFlight = WindowEvent & { acknowledgement: Promise<RecordPosition> };

/** A duplicate of an event in flight waits for its acknowledgement and adds no record. Rejects as `publish` does. */
export const createPublishOnce = (ports: PublishPorts): PublishOnce => {
  const { publish, window, mask, eventFields, onPublished, now } = ports;
  const inFlight = new Map<Digest, InFlight[]>();

  return async (notification, { receivedAt, source, trace, facts: otherFacts = NO_FACTS }) => {
    const nowMs = now();
    const transaction = digestOf(notification.transactionId);
    const durableFacts = mergedFacts(otherFacts, window.factsOf(transaction, nowMs));
    const others = inFlight.get(transaction) ?? [];
    // Events in flight count: those of a transaction share a partition, and are appended as they were requested.
    const facts = others.reduce(factsWith, durableFacts);
    const event = translate(notification, { receivedAt, source, facts, mask, eventFields });
    const { eventId, transactionId, status, direction, occurredAt } = event;
    const identity = eventIdentity(event);
    const copyInFlight = others.find((other) => other.identity === identity);
    const isDurable = window.has(identity, nowMs);
    if (copyInFlight && !isDurable) await copyInFlight.acknowledgement;
    if (copyInFlight || isDurable) {
      const publishedId = copyInFlight?.eventId ?? window.newestIdOf(identity) ?? eventId;
      return { kind: "duplicate", event: { eventId: publishedId, transactionId, status } };
    }
    const acknowledgement = publish(event, trace);
    const entry = { eventId, identity, transaction, direction, occurredAt, acknowledgement };
    others.push(entry);
    inFlight.set(transaction, others);
    try {
      const position = await acknowledgement;
      window.add(entry, durableFacts, now());
      onPublished(event, position);
      return { kind: "published", event, position };
    } finally {
      others.splice(others.indexOf(entry), 1);
      if (others.length === 0) inFlight.delete(transaction);
    }
  };
};
