import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Span, SpanAttributes, SpanStart, TraceContext, Traces } from "../../runtime/traces.ts";

export type SentRecord = Pick<SpanStart, "parent" | "link"> & {
  topic: string;
  /** The operation name; "send" by default. */
  verb?: string;
  /** Whether the record's headers carry the trace context to its readers. */
  carriesTrace: boolean;
  attributes?: SpanAttributes;
};

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "_OTHER";

/** Sends a record and ends its span with the position or the error. */
const sendAndEnd = async (
  span: Span,
  { topic, verb = "send", attributes }: SentRecord,
  send: () => Promise<RecordPosition>,
): Promise<RecordPosition> => {
  const common = {
    "messaging.system": "kafka",
    "messaging.operation.type": "send",
    "messaging.operation.name": verb,
    "messaging.destination.name": topic,
    ...attributes,
  };
  try {
    const written = await send();
    const { partition, offset } = written;
    span.end({
      ...common,
      "messaging.destination.partition.id": String(partition),
      "messaging.kafka.offset": offset,
    });
    return written;
  } catch (error) {
    span.end(common, codeOf(error));
    throw error;
  }
};

/**
 * Sends a record in a span that lasts until it is durable.
 * @param send gets the trace context to put into the headers; null for none
 */
export const sendInSpan = (
  traces: Traces,
  sent: SentRecord,
  send: (trace: TraceContext | null) => Promise<RecordPosition>,
): Promise<RecordPosition> => {
  const { topic, verb = "send", carriesTrace, parent, link = null } = sent;
  const kind = carriesTrace ? "producer" : "client";
  const span = traces.begin({ name: `${verb} ${topic}`, kind, parent, link });
  const trace = carriesTrace && traces.propagates ? span : null;
  // Most spans are not sampled: skip the attributes, because a webhook waits for this.
  return span.isSampled ? sendAndEnd(span, sent, () => send(trace)) : send(trace);
};
