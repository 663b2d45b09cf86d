/** A place in a W3C trace, as requests and records name it to others. */
export type TraceContext = { traceparent: string; tracestate?: string | null | undefined };

/** A piece of work that a trace shows. Work that is part of it names it as its parent, and so do others by the context. */
export type Span = TraceContext & {
  /** False where nobody will see it: nothing need be said of it then. */
  isSampled: boolean;
  /** @param errorType what went wrong, in one of few words; null when nothing did */
  end: (attributes: SpanAttributes, errorType?: string | null) => void;
};

export type SpanAttributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

export type SpanStart = {
  /** One of few. */
  name: string;
  kind: "internal" | "server" | "client" | "producer" | "consumer";
  /** What it is part of; null where it begins a trace. */
  parent: TraceContext | null;
  /** Whether that is somebody else's. */
  isRemote?: boolean;
  /** What it has to do with in other traces; null for nothing. */
  link?: TraceContext | null;
};

export type Traces = {
  begin: (start: SpanStart) => Span;
  /** Whether contexts of others are believed, and ours are told to them. */
  propagates: boolean;
  /** Sends what waits. Resolves when that is done, however it ends. */
  close: () => Promise<void>;
};
