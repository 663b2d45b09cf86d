import type { Config } from "../config/config.ts";
import type { Incoming, Written } from "../kafka/record.ts";
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

export const openDeadLetters = (config: Config, kit: Kit, metrics: Metrics): DeadLetters => {
  const topic = config.topics.deadLetters;
  const publisher = kit.publisher(topic, {
    maxWaiting: 20_000,
    maxWaitingBytes: 64 * 1_048_576,
    sendTimeoutMs: 8_000,
  });
  const count = (source: string, reason: string) => (written: Written) => {
    metrics.deadLetters.inc({ source, reason });
    return written;
  };

  return {
    parkNotification: ({ body, detail, receivedAt }, timeoutMs) => {
      const headers = {
        "dead-letter-reason": "UNREADABLE_NOTIFICATION",
        "dead-letter-detail": detail,
        "dead-letter-source": "webhook",
        "dead-letter-received-at": String(receivedAt),
      };
      return publisher
        .publish({ key: null, value: body, headers }, timeoutMs)
        .then(count("webhook", "UNREADABLE_NOTIFICATION"));
    },
    parkCommand: (record, reason, detail) => {
      const headers = {
        ...record.headers,
        "dead-letter-reason": reason,
        "dead-letter-detail": detail,
        "dead-letter-source": "command",
        "dead-letter-topic": record.topic,
        "dead-letter-partition": String(record.partition),
        "dead-letter-offset": String(record.offset),
        "dead-letter-timestamp": String(record.timestampMs),
      };
      return publisher
        .publish({ key: record.key, value: record.value, headers }, COMMAND_TIMEOUT_MS)
        .then(count("command", reason));
    },
    components: () => ({ "dead-letters": { ...publisher.state(), required: false } }),
    waiting: () => ({ [topic]: publisher.state().waiting }),
    close: () => publisher.close(0),
  };
};
