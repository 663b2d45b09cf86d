import { openEvents } from "../../notification/wire/events.ts";
import { PublishError } from "../../kafka/produce/publish-error.ts";
import { messageOf, UsageError } from "../../runtime/errors.ts";
import { placeText } from "../../runtime/record-position.ts";
import { parseBody } from "../../notification/notification.ts";
import { inspectTopics, type Tools } from "../tools.ts";
import type { DeadLetter, Original } from "./letter.ts";

/** What became of one letter. `sent`: it stands in its topic, `where` says at which place, or why none was needed. */
export type LetterEnd =
  { end: "sent"; where: string } | { end: "left"; reason: string } | { end: "unknown"; reason: string };

/** `send` never rejects. */
export type ReplayTarget = {
  topic: string;
  send: (letter: DeadLetter, original: Original) => Promise<LetterEnd>;
  close: () => Promise<void>;
};

/** Enough for a batch, and for one record of the largest batch that is decompressed. */
const MAX_WAITING_BYTES = 96 * 1_048_576;
const SEND_TIMEOUT_MS = 8_000;
const TIMEOUT_MS = 20_000;

/** A failed send may have reached the topic all the same, unless Kafka or the publisher refused it. */
const notSent = (error: unknown): LetterEnd => {
  // An event that is too large is refused, too, and says so in its own words.
  const cause = error instanceof Error && error.cause instanceof PublishError ? error.cause : error;
  const isCertain =
    cause instanceof PublishError && (cause.code === "refused" || cause.code === "overloaded");
  return { end: isCertain ? "left" : "unknown", reason: messageOf(error) };
};

const sentTo = (where: string): LetterEnd => ({ end: "sent", where });

const commandsTarget = (tools: Tools): ReplayTarget => {
  const topic = tools.config.topics.commands;
  const publisher = tools.publisher(topic, {
    maxWaiting: 1_000,
    maxWaitingBytes: MAX_WAITING_BYTES,
    sendTimeoutMs: SEND_TIMEOUT_MS,
  });
  return {
    topic,
    send: (_letter, { key, value, headers: encodedHeaders }) =>
      publisher
        .publish({ key, value, headers: [], encodedHeaders }, TIMEOUT_MS)
        .then((place) => sentTo(placeText(topic, place)), notSent),
    close: () => publisher.close(0),
  };
};

/** The events topic: notifications become events like webhooks do, unless they are in the dedup window. */
const eventsTarget = async (tools: Tools): Promise<ReplayTarget> => {
  const { config } = tools;
  const topic = config.topics.transactionStatus;
  if (config.partner.baseUrl === undefined)
    throw new UsageError("PARTNER_BASE_URL is not set: the events of notifications name it as their source.");
  const schemaIdOf = await inspectTopics(tools, ["transactionStatus"]);
  const events = await openEvents(tools, schemaIdOf("transaction-status-updated"));
  try {
    await events.untilRead(tools.stopped);
  } catch (error) {
    await events.close();
    throw error;
  }
  return {
    topic,
    send: async ({ receivedAtMs, timestampMs }, { value }) => {
      const read = parseBody(value ?? Buffer.alloc(0));
      if (!read.ok) return { end: "left", reason: `still not understood: ${read.detail}` };
      const arrival = { receivedAt: receivedAtMs ?? timestampMs, source: "WEBHOOK", trace: null } as const;
      const publishing = events.publishOnce(read.notification, arrival);
      return tools.clock.within(TIMEOUT_MS, undefined, publishing).then((done): LetterEnd => {
        if (done.kind === "published") return sentTo(placeText(topic, done.position));
        return sentTo(`event ${done.event.eventId}, which was there already`);
      }, notSent);
    },
    close: events.close,
  };
};

export const openTarget = async (tools: Tools, source: DeadLetter["source"]): Promise<ReplayTarget> =>
  source === "command" ? commandsTarget(tools) : eventsTarget(tools);
