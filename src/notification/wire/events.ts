import { cloudEventHeaders } from "../../kafka/produce/cloud-event.ts";
import { isRefused } from "../../kafka/produce/publish-error.ts";
import { fieldsEncoder } from "../../kafka/schema/codec.ts";
import { readSchema } from "../../kafka/schema/schemas.ts";
import type { EventWindow } from "../event-window.ts";
import { createPublishOnce, EventTooLarge, type PublishOnce } from "../publish-once.ts";
import type { TransactionStatusUpdated } from "../../records.ts";
import { messageOf } from "../../runtime/errors.ts";
import { missingFields } from "../../runtime/json-pointer.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import type { TraceContext, Traces } from "../../runtime/traces.ts";
import type { Services } from "../../kafka/wire/services.ts";
import { followEvents } from "./follow-events.ts";
import type { Subsystem } from "../../runtime/subsystem.ts";
import { sendInSpan } from "../../kafka/produce/record-span.ts";

const EVENT_TYPE = "cambio.bridge.v1.TransactionStatusUpdated";
const MAX_WAITING_BYTES = 128 * 1_048_576;
/** The part of WEBHOOK_PUBLISH_TIMEOUT that is left for reading the request and writing the answer. */
const ANSWER_MARGIN_MS = 50;

export const publishTimeoutOf = ({ config: { webhook } }: Pick<Services, "config">): number =>
  webhook.publishTimeoutMs - ANSWER_MARGIN_MS;

export type Events = Subsystem & {
  publishOnce: PublishOnce;
  window: EventWindow;
  /** Resolves when the window is read, at the latest after READY_AFTER_MS of follow-events.ts. */
  untilRead: (signal: AbortSignal) => Promise<void>;
};

const CHECK_EVERY_MS = 50;

/** The events topic, for both flows that write to it. Rejects if Kafka does not answer. */
export const openEvents = async (services: Services, schemaId: number): Promise<Events> => {
  const { config, clock, metrics, traces } = services;
  const { webhook, topics, partner } = config;
  const schema = readSchema("transaction-status-updated");
  const target = { topic: topics.transactionStatus, schemaId };
  const { encode } = await fieldsEncoder<TransactionStatusUpdated>(schema, target, services.registry);
  const follower = await followEvents(services, schemaId);
  const publisher = services.publisher(topics.transactionStatus, {
    maxWaiting: webhook.maxInFlight,
    maxWaitingBytes: MAX_WAITING_BYTES,
    sendTimeoutMs: webhook.publishTimeoutMs,
  });

  const source = partner.baseUrl ?? "";
  const { encodedHeaders, headersOf } = cloudEventHeaders({ type: EVENT_TYPE, source });
  const timeoutMs = publishTimeoutOf(services);
  type Put = (event: TransactionStatusUpdated, trace: TraceContext | null) => Promise<RecordPosition>;
  const put: Put = (event, trace) => {
    const { eventId: id, transactionId: subject, occurredAt, receivedAt } = event;
    const headers = headersOf({ id, subject, timeMs: occurredAt ?? receivedAt, trace });
    return publisher
      .publish({ key: Buffer.from(subject), value: encode(event), headers, encodedHeaders }, timeoutMs)
      .catch((error: unknown) => {
        throw isRefused(error) ? new EventTooLarge(messageOf(error), { cause: error }) : error;
      });
  };
  const putInSpan =
    (to: Traces): Put =>
    (event, parent) => {
      const attributes = { "messaging.message.id": event.eventId };
      const record = { topic: topics.transactionStatus, carriesTrace: true, parent, attributes };
      return sendInSpan(to, record, (trace) => put(event, trace));
    };

  return {
    window: follower.window,
    untilRead: async (signal) => {
      while (!follower.isRead()) await clock.sleep(CHECK_EVERY_MS, signal);
    },
    publishOnce: createPublishOnce({
      publish: traces ? putInSpan(traces) : put,
      window: follower.window,
      mask: services.mask,
      eventFields: partner.eventFields,
      onPublished: (event, position) => {
        follower.recordWritten(position);
        if (event.outOfOrder) metrics.outOfOrder.inc();
        for (const field of missingFields(partner.eventFields, event.fields))
          metrics.fieldsMissing.inc({ kind: "event", field });
      },
      now: clock.now,
    }),
    components: () => ({
      "events-publisher": { health: publisher.health(), serves: "webhooks" },
      "events-memory": { health: follower.health(), serves: "webhooks" },
    }),
    waiting: () => ({ [topics.transactionStatus]: publisher.waiting() }),
    close: async () => {
      await Promise.all([publisher.close(0), follower.close()]);
    },
  };
};
