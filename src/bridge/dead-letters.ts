import { randomUUID } from "node:crypto";
import type { Config } from "../config/config.ts";
import { traceHeaders } from "../kafka/produce/cloud-event.ts";
import { isRefused } from "../kafka/produce/publish-error.ts";
import type { Header, Incoming, Outgoing, Written } from "../kafka/record.ts";
import type { Metrics } from "../ops/metrics.ts";
import type { SpanStart, TraceContext } from "../runtime/traces.ts";
import type { UnreadableNotification } from "../webhooks-to-events/flow.ts";
import { partsOf } from "./dead-letter-parts.ts";
import type { Kit } from "./kit.ts";
import type { Part } from "./part.ts";
import { sending } from "./traces/record-span.ts";

/** Keeps what could not be understood, byte for byte, with the reason in headers. Rejects when it is not known to be durable. */
export type DeadLetters = Part & {
  parkNotification: (notification: UnreadableNotification, timeoutMs: number) => Promise<Written>;
  /** @param parent what it is a part of, where there are traces */
  parkCommand: (
    record: Incoming,
    reason: string,
    detail: string,
    parent?: TraceContext | null,
  ) => Promise<Written>;
};

const COMMAND_TIMEOUT_MS = 15_000;
/** A record of the largest batch that is decompressed, alone. */
const MAX_WAITING_BYTES = 72 * 1_048_576;
/** Details can repeat what others wrote. */
const MAX_DETAIL_LENGTH = 1_000;

export const openDeadLetters = (config: Config, kit: Kit, metrics: Metrics): DeadLetters => {
  const topic = config.topics.deadLetters;
  const publisher = kit.publisher(topic, {
    maxWaiting: 20_000,
    maxWaitingBytes: MAX_WAITING_BYTES,
    sendTimeoutMs: 8_000,
  });

  /** One after the other: all at once would be too much where one was. There may be hundreds, so each has a time of its own. */
  const publishParts = async (letter: Outgoing, timeoutMs: number): Promise<Written | null> => {
    let written: Written | null = null;
    for (const part of partsOf(letter, randomUUID())) written = await publisher.publish(part, timeoutMs);
    return written;
  };

  /** Large ones travel compressed. What is too large all the same goes in parts. */
  const put = (letter: Outgoing, timeoutMs: number): Promise<Written> =>
    publisher.publish(letter, timeoutMs).catch(async (error: unknown) => {
      const written = isRefused(error) ? await publishParts(letter, timeoutMs) : null;
      if (written === null) throw error;
      return written;
    });
  const { traces } = kit;
  /** @param trace a letter that has headers of its sender keeps them as they are, and is told nothing of ours */
  const publish = (
    letter: Outgoing,
    timeoutMs: number,
    trace: { reason: string; isTold: boolean; parent: SpanStart["parent"] },
  ): Promise<Written> => {
    if (traces === null) return put(letter, timeoutMs);
    const { reason, ...told } = trace;
    const attributes = { "cambio.dead_letter.reason": reason };
    // In front: what the bridge says of a letter is known by standing last.
    return sending(traces, { topic, attributes, ...told }, (trace) =>
      put({ ...letter, headers: [...traceHeaders(trace), ...letter.headers] }, timeoutMs),
    );
  };

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
    parkNotification: ({ body, detail, receivedAt, span = null }, timeoutMs) => {
      const reason = "UNREADABLE_NOTIFICATION";
      const headers: Header[] = [
        ...reasons("webhook", reason, detail),
        ["dead-letter-received-at", String(receivedAt)],
      ];
      return publish({ key: null, value: body, headers }, timeoutMs, {
        reason,
        isTold: true,
        parent: span,
      }).then(count("webhook", reason));
    },
    parkCommand: (record, reason, detail, parent = null) => {
      const headers: Header[] = [
        ...reasons("command", reason, detail),
        ["dead-letter-topic", record.topic],
        ["dead-letter-partition", String(record.partition)],
        ["dead-letter-offset", String(record.offset)],
        ["dead-letter-timestamp", String(record.timestampMs)],
      ];
      const { key, value, headers: encodedHeaders } = record;
      return publish({ key, value, headers, encodedHeaders }, COMMAND_TIMEOUT_MS, {
        reason,
        isTold: false,
        parent,
      }).then(count("command", reason));
    },
    components: () => ({ "dead-letters": { ...publisher.state(), required: false } }),
    waiting: () => ({ [topic]: publisher.state().waiting }),
    close: () => publisher.close(0),
  };
};
