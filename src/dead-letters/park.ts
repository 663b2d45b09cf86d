import { traceHeaders } from "../kafka/produce/cloud-event.ts";
import { isRefused } from "../kafka/produce/publish-error.ts";
import { sendInSpan } from "../kafka/produce/record-span.ts";
import type { Header, Incoming, Outgoing } from "../kafka/record.ts";
import type { Services } from "../kafka/wire/services.ts";
import type { RecordPosition } from "../runtime/record-position.ts";
import type { Span, SpanStart, TraceContext } from "../runtime/traces.ts";

type UnreadableNotification = { body: Buffer; detail: string; receivedAt: number; span?: Span | undefined };

/** Why something is a dead letter. `parent`: the span that the letter is a part of. */
type Cause = { source: "webhook" | "command"; reason: string; detail: string } & Pick<SpanStart, "parent">;

const COMMAND_TIMEOUT_MS = 15_000;
/** Enough for one record of the largest batch that is decompressed. */
const MAX_WAITING_BYTES = 72 * 1_048_576;
/** A detail may quote what others wrote, of any length. */
const MAX_DETAIL_LENGTH = 1_000;
/** What is kept of a value that does not fit: enough to tell what it was, little enough for any topic. */
const CUT_BYTES = 65_536;

/** The topic keeps records byte for byte, with the reason in headers. Rejects if a letter may not be durable. */
export const openDeadLetters = ({ config, metrics, traces, publisher: newPublisher }: Services) => {
  const topic = config.topics.deadLetters;
  const publisher = newPublisher(topic, {
    maxWaiting: 20_000,
    maxWaitingBytes: MAX_WAITING_BYTES,
    sendTimeoutMs: 8_000,
  });

  /** A letter that the topic refuses for its size (compressed already) is sent with the beginning of its value. */
  const put = (letter: Outgoing, timeoutMs: number): Promise<RecordPosition> =>
    publisher.publish(letter, timeoutMs).catch((error: unknown) => {
      const { value, headers } = letter;
      if (!isRefused(error) || value === null || value.length <= CUT_BYTES) throw error;
      const cut: Header = ["dead-letter-cut", String(value.length)];
      const beginning = value.subarray(0, CUT_BYTES);
      return publisher.publish({ ...letter, value: beginning, headers: [...headers, cut] }, timeoutMs);
    });
  const park = async (
    letter: Outgoing,
    timeoutMs: number,
    { source, reason, detail, parent }: Cause,
  ): Promise<RecordPosition> => {
    const headers: Header[] = [
      ["dead-letter-reason", reason],
      ["dead-letter-detail", detail.slice(0, MAX_DETAIL_LENGTH)],
      ["dead-letter-source", source],
      ...letter.headers,
    ];
    // A command has headers of its sender, which are kept as they are.
    const carriesTrace = source === "webhook";
    const attributes = { "cambio.dead_letter.reason": reason };
    // In front, because the bridge's own dead-letter headers are recognized by standing last.
    const putWith = (trace: TraceContext | null): Promise<RecordPosition> =>
      put({ ...letter, headers: [...traceHeaders(trace), ...headers] }, timeoutMs);
    const written = await (traces === null
      ? putWith(null)
      : sendInSpan(traces, { topic, attributes, carriesTrace, parent }, putWith));
    metrics.deadLetters.inc({ source, reason });
    return written;
  };

  return {
    parkNotification: (
      { body, detail, receivedAt, span }: UnreadableNotification,
      timeoutMs: number,
    ): Promise<RecordPosition> => {
      const headers = [["dead-letter-received-at", String(receivedAt)] as const];
      const cause = {
        source: "webhook",
        reason: "UNREADABLE_NOTIFICATION",
        detail,
        parent: span ?? null,
      } as const;
      return park({ key: null, value: body, headers }, timeoutMs, cause);
    },
    parkCommand: (
      record: Incoming,
      reason: string,
      detail: string,
      parent: TraceContext | null = null,
    ): Promise<RecordPosition> => {
      const headers: Header[] = [
        ["dead-letter-topic", record.topic],
        ["dead-letter-partition", String(record.partition)],
        ["dead-letter-offset", String(record.offset)],
        ["dead-letter-timestamp", String(record.timestampMs)],
      ];
      const { key, value, headers: encodedHeaders } = record;
      const cause = { source: "command", reason, detail, parent } as const;
      return park({ key, value, headers, encodedHeaders }, COMMAND_TIMEOUT_MS, cause);
    },
    components: () => ({ "dead-letters": { health: publisher.health(), serves: null } }),
    waiting: () => ({ [topic]: publisher.waiting() }),
    close: () => publisher.close(0),
  };
};
