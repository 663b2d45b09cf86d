import type { Written } from "../../kafka/record.ts";
import type { Span, SpanAttributes, SpanStart, TraceContext, Traces } from "../../runtime/traces.ts";

export type Sending = Pick<SpanStart, "parent" | "link"> & {
  topic: string;
  /** What the record is to the bridge, in a verb; "send" where it is for others. */
  verb?: string;
  /** Whether the record tells readers of its trace. */
  isTold: boolean;
  attributes?: SpanAttributes;
};

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "_OTHER";

/** What the span of a record says once it is known what became of it. */
const shown = async (
  span: Span,
  { topic, verb = "send", attributes }: Sending,
  send: () => Promise<Written>,
): Promise<Written> => {
  const said = {
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
      ...said,
      "messaging.destination.partition.id": String(partition),
      "messaging.kafka.offset": offset,
    });
    return written;
  } catch (error) {
    span.end(said, codeOf(error));
    throw error;
  }
};

/**
 * A record that is sent, from being handed over until it is durable.
 * @param send hears of the trace that the record tells its readers of
 */
export const sending = (
  traces: Traces,
  sent: Sending,
  send: (trace: TraceContext | null) => Promise<Written>,
): Promise<Written> => {
  const { topic, verb = "send", isTold, parent, link = null } = sent;
  const kind = isTold ? "producer" : "client";
  const span = traces.begin({ name: `${verb} ${topic}`, kind, parent, link });
  const trace = isTold && traces.propagates ? span : null;
  // Most are not, and each is a webhook that waits.
  return span.isSampled ? shown(span, sent, () => send(trace)) : send(trace);
};
