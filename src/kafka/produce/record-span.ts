import type { RecordPosition } from "../../runtime/record-position.ts";
import type { SpanAttributes, SpanStart, TraceContext, Traces } from "../../runtime/traces.ts";

type SentRecord = Pick<SpanStart, "parent" | "link"> & {
  topic: string;
  /** The operation name; "send" by default. */
  verb?: string;
  carriesTrace: boolean;
  attributes?: SpanAttributes;
};

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "_OTHER";

/** Sends a record in a span that lasts until it is durable. @param send gets the trace context for its headers */
export const sendInSpan = (
  traces: Traces,
  { topic, verb = "send", carriesTrace, parent, link = null, attributes }: SentRecord,
  send: (trace: TraceContext | null) => Promise<RecordPosition>,
): Promise<RecordPosition> => {
  const kind = carriesTrace ? "producer" : "client";
  const span = traces.begin({ name: `${verb} ${topic}`, kind, parent, link });
  const sending = send(carriesTrace && traces.propagates ? span : null);
  // Most spans are not sampled: skip the attributes, because a webhook waits for this.
  if (!span.isSampled) return sending;
  const endSpan = (written: RecordPosition | null, errorType: string | null): void =>
    span.end(
      {
        "messaging.system": "kafka",
        "messaging.operation.type": "send",
        "messaging.operation.name": verb,
        "messaging.destination.name": topic,
        "messaging.destination.partition.id": written && String(written.partition),
        "messaging.kafka.offset": written?.offset,
        ...attributes,
      },
      errorType,
    );
  sending.then(
    (written) => endSpan(written, null),
    (error: unknown) => endSpan(null, codeOf(error)),
  );
  return sending;
};
