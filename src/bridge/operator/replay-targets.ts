import { createHash } from "node:crypto";
import type { Config } from "../../config/config.ts";
import { inspect } from "../../kafka/cluster/inspect.ts";
import type { Cluster } from "../../kafka/cluster/cluster.ts";
import { headerValue } from "../../kafka/headers.ts";
import { PublishError } from "../../kafka/produce/publish-error.ts";
import type { Incoming } from "../../kafka/record.ts";
import { eventIdOf } from "../../notification/event-id.ts";
import { EventTooLarge } from "../../notification/publish-once.ts";
import type { LetterEnd } from "../../operator/replay/claims.ts";
import type { Planned } from "../../operator/replay/plan.ts";
import type { Ready } from "../../operator/replay/send-batch.ts";
import { messageOf, UsageError } from "../../runtime/errors.ts";
import { placeText } from "../../runtime/record-position.ts";
import { parseBody } from "../../webhooks-to-events/parse.ts";
import type { Original } from "../dead-letter-parts.ts";
import { openEvents } from "../events.ts";
import type { Services } from "../services.ts";

/** A topic that letters are replayed to. */
export type Target = {
  /** How to send a letter, or why it cannot be sent. */
  ready: (planned: Planned, original: Original) => Ready | { cannot: string };
  /** Identifies a record in the topic: finds out whether a letter has reached it. */
  digestOf: (record: Pick<Incoming, "key" | "value" | "headers">) => string;
  close: () => Promise<void>;
};

/** Enough for one record of the largest batch that is decompressed. */
const MAX_WAITING_BYTES = 72 * 1_048_576;
const SEND_TIMEOUT_MS = 8_000;

/** A hash of the whole record, each field with its length in front. */
const digestOf = ({ key, value, headers }: Original): string => {
  const hash = createHash("sha256");
  for (const bytes of [key, value, headers.bytes]) {
    hash.update(`${bytes === null ? "null" : bytes.length} `);
    if (bytes !== null) hash.update(bytes);
  }
  return hash.digest("hex").slice(0, 32);
};

/** A failed send may have reached the topic all the same, unless Kafka or the publisher refused it. */
const notSent = (error: unknown): LetterEnd => {
  const isCertain =
    error instanceof EventTooLarge ||
    (error instanceof PublishError && error.code !== "timeout" && error.code !== "closed");
  return { end: isCertain ? "left" : "unknown", reason: messageOf(error) };
};

/** A commands topic: records are sent as they were, each to the partition of its key. */
export const commandsTarget = (services: Services, topic: string): Target => {
  const publisher = services.publisher(topic, {
    maxWaiting: 10,
    maxWaitingBytes: MAX_WAITING_BYTES,
    sendTimeoutMs: SEND_TIMEOUT_MS,
    sendsOnce: true,
  });
  return {
    digestOf,
    ready: (planned, original) => ({
      ...planned,
      digest: digestOf(original),
      key: original.key && createHash("sha256").update(original.key).digest("base64"),
      send: (timeoutMs) => {
        const { key, value, headers: encodedHeaders } = original;
        return publisher
          .publish({ key, value, headers: [], encodedHeaders }, timeoutMs)
          .then((place): LetterEnd => ({ end: "sent", place: placeText(topic, place) }), notSent);
      },
    }),
    close: () => publisher.close(0),
  };
};

/** The events topic: notifications become events like webhooks do, unless they are in the dedup window. */
export const eventsTarget = async (
  config: Config,
  services: Services,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<Target> => {
  const topic = config.topics.transactionStatus;
  if (config.partner.baseUrl === undefined)
    throw new UsageError("PARTNER_BASE_URL is not set: the events of notifications name it as their source.");
  const { schemaIds, problems } = await inspect(
    { names: config.topics, used: ["transactionStatus"], largestRecords: [], lookbackMs: null },
    { cluster, registry: services.registry },
  );
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  const schemaId = schemaIds.get("transaction-status-updated") ?? 0;
  const sendingOnce: Services = {
    ...services,
    publisher: (name, options) => services.publisher(name, { ...options, sendsOnce: true }),
  };
  const events = await openEvents(config, { services: sendingOnce, schemaId, outOfOrder: () => undefined });
  try {
    await events.untilRead(signal);
  } catch (error) {
    await events.close();
    throw error;
  }
  return {
    digestOf: ({ headers }) => headerValue(headers, "ce_id")?.toString() ?? "",
    ready: (planned, { value }) => {
      const read = parseBody(value ?? Buffer.alloc(0));
      if (!read.ok) return { cannot: `still not understood: ${read.detail}` };
      const { notification } = read;
      const arrival = {
        receivedAt: planned.letter.receivedAtMs ?? planned.letter.timestampMs,
        source: "WEBHOOK",
        trace: null,
      } as const;
      return {
        ...planned,
        digest: eventIdOf(notification),
        key: notification.transactionId,
        send: (timeoutMs) =>
          services.clock
            .within(timeoutMs, undefined, events.publishOnce(notification, arrival))
            .then(
              (done): LetterEnd =>
                done.kind === "published"
                  ? { end: "sent", place: placeText(topic, done.position) }
                  : { end: "duplicate", eventId: done.event.eventId },
              notSent,
            ),
      };
    },
    close: events.close,
  };
};
