import type { Config } from "../config/config.ts";
import { cloudEventHeaders } from "../kafka/produce/cloud-event.ts";
import { isRefused } from "../kafka/produce/publish-error.ts";
import { encoder } from "../kafka/schema/codec.ts";
import { readSchema } from "../kafka/schema/schemas.ts";
import {
  EventRefused,
  publishOnce,
  type Place,
  type PublishOnce,
  type PublishPorts,
} from "../notification/publish-once.ts";
import type { TransactionStatusUpdated } from "../records.ts";
import { messageOf } from "../runtime/errors.ts";
import type { TraceContext } from "../runtime/traces.ts";
import type { Kit } from "./kit.ts";
import { openMemory, type Memory } from "./memory.ts";
import type { Part } from "./part.ts";
import { contextOf } from "./traces/context.ts";
import { sending } from "./traces/record-span.ts";

const EVENT_TYPE = "cambio.bridge.v1.TransactionStatusUpdated";
const MAX_WAITING_BYTES = 128 * 1_048_576;
/** What is kept back of WEBHOOK_PUBLISH_TIMEOUT for reading the request and writing the answer. */
const ANSWER_MARGIN_MS = 50;

export const publishTimeoutOf = ({ webhook }: Config): number => webhook.publishTimeoutMs - ANSWER_MARGIN_MS;

export type Events = Part & { publishOnce: PublishOnce; window: Memory["window"] };

/**
 * The events topic, as both flows that write to it see it. Rejects when the cluster cannot be asked.
 * @param outOfOrder hears of each event that is published behind one that happened later
 */
export const openEvents = async (
  config: Config,
  { kit, schemaId, outOfOrder }: { kit: Kit; schemaId: number; outOfOrder: () => void },
): Promise<Events> => {
  const { clock, traces } = kit;
  const { webhook, topics, partner } = config;
  const encode = encoder<TransactionStatusUpdated>(readSchema("transaction-status-updated"), schemaId);
  const memory = await openMemory(config, kit, schemaId);
  const publisher = kit.publisher(topics.transactionStatus, {
    maxWaiting: webhook.maxInFlight,
    maxWaitingBytes: MAX_WAITING_BYTES,
    sendTimeoutMs: webhook.publishTimeoutMs,
  });

  const { encodedHeaders, headersOf } = cloudEventHeaders({
    type: EVENT_TYPE,
    source: partner.baseUrl ?? "",
  });
  const put = (event: TransactionStatusUpdated, trace: TraceContext | null): Promise<Place> => {
    const headers = headersOf({
      id: event.eventId,
      subject: event.transactionId,
      timeMs: event.occurredAt ?? event.receivedAt,
      trace,
    });
    const key = Buffer.from(event.transactionId);
    return publisher
      .publish({ key, value: encode(event), headers, encodedHeaders }, publishTimeoutOf(config))
      .catch((error: unknown) => {
        throw isRefused(error) ? new EventRefused(messageOf(error), { cause: error }) : error;
      });
  };
  const publish: PublishPorts["publish"] = (event, traceparent, tracestate) => {
    const parent = contextOf({ traceparent, tracestate });
    if (traces === null) return put(event, parent);
    const attributes = { "messaging.message.id": event.eventId };
    return sending(traces, { topic: topics.transactionStatus, isTold: true, parent, attributes }, (trace) =>
      put(event, trace),
    );
  };

  return {
    window: memory.window,
    publishOnce: publishOnce({
      publish,
      memory: {
        seen: memory.window.seen,
        about: memory.window.about,
        note: (identity, event, place) => {
          memory.wrote(place);
          memory.window.note(identity, event, clock.now());
          if (event.outOfOrder) outOfOrder();
        },
      },
      now: clock.now,
    }),
    components: () => ({
      "events-publisher": { ...publisher.state(), required: true },
      "events-memory": { ...memory.state(), required: true },
    }),
    waiting: () => ({ [topics.transactionStatus]: publisher.state().waiting }),
    close: async () => {
      await Promise.all([publisher.close(0), memory.close()]);
    },
  };
};
