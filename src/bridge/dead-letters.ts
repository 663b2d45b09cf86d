import type { Config } from "../config/config.ts";
import type { Header, Incoming, Written } from "../kafka/record.ts";
import type { Metrics } from "../ops/metrics.ts";
import type { UnreadableNotification } from "../webhooks-to-events/flow.ts";
import type { Kit } from "./kit.ts";
import type { Part } from "./part.ts";

/** Keeps what could not be understood, byte for byte, with the reason in headers. Rejects when it is not known to be durable. */
export type DeadLetters = Part & {
  parkNotification: (notification: UnreadableNotification, timeoutMs: number) => Promise<Written>;
  parkCommand: (record: Incoming, reason: string, detail: string) => Promise<Written>;
};

const COMMAND_TIMEOUT_MS = 15_000;
/** Details can repeat what others wrote. */
const MAX_DETAIL_LENGTH = 1_000;

export const openDeadLetters = (config: Config, kit: Kit, metrics: Metrics): DeadLetters => {
  const topic = config.topics.deadLetters;
  const publisher = kit.publisher(topic, {
    maxWaiting: 20_000,
    maxWaitingBytes: 64 * 1_048_576,
    sendTimeoutMs: 8_000,
  });

  const reasons = (source: string, reason: string, detail: string): Header[] => [
    ["dead-letter-reason", reason],
    ["dead-letter-detail", detail.slice(0, MAX_DETAIL_LENGTH)],
    ["dead-letter-source", source],
  ];
  const count = (source: string, reason: string) => (written: Written) => {
    metrics.deadLetters.inc({ source, reason });
    return written;
  };

  return {
    parkNotification: ({ body, detail, receivedAt }, timeoutMs) => {
      const reason = "UNREADABLE_NOTIFICATION";
      const headers: Header[] = [
        ...reasons("webhook", reason, detail),
        ["dead-letter-received-at", String(receivedAt)],
      ];
      return publisher.publish({ key: null, value: body, headers }, timeoutMs).then(count("webhook", reason));
    },
    parkCommand: (record, reason, detail) => {
      const headers: Header[] = [
        ...reasons("command", reason, detail),
        ["dead-letter-topic", record.topic],
        ["dead-letter-partition", String(record.partition)],
        ["dead-letter-offset", String(record.offset)],
        ["dead-letter-timestamp", String(record.timestampMs)],
      ];
      const { key, value, headers: encodedHeaders } = record;
      return publisher
        .publish({ key, value, headers, encodedHeaders }, COMMAND_TIMEOUT_MS)
        .then(count("command", reason));
    },
    components: () => ({ "dead-letters": { ...publisher.state(), required: false } }),
    waiting: () => ({ [topic]: publisher.state().waiting }),
    stop: (drainMs) => publisher.close(drainMs),
  };
};
