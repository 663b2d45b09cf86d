import { randomUUID } from "node:crypto";
import {
  createTraceState,
  diag,
  DiagLogLevel,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Span as ApiSpan,
  type SpanContext,
} from "@opentelemetry/api";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import type { Log } from "../../runtime/log.ts";
import { maskFor, MAX_REASON_LENGTH } from "../../runtime/mask.ts";
import type { Span, TraceContext, Traces } from "../../runtime/traces.ts";
import { headerSecrets, spanProcessor } from "./export.ts";

/** While the collector is unreachable, one log line per this interval. */
const REPORT_EVERY_MS = 60_000;

const TRACEPARENT = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Returns null for an invalid trace context: it may come from an untrusted sender. */
const contextOf = ({ traceparent, tracestate }: TraceContext, isRemote: boolean): SpanContext | null => {
  const [, version, traceId = "", spanId = "", flags = "", more] = TRACEPARENT.exec(traceparent) ?? [];
  const context = { traceId, spanId, traceFlags: parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote };
  if ((version === "00" && more !== undefined) || !isSpanContextValid(context)) return null;
  return tracestate ? { ...context, traceState: createTraceState(tracestate) } : context;
};

const nothing = (): void => undefined;

const spanOf = (span: ApiSpan): Span => {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
  return {
    traceparent: `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`,
    tracestate: traceState?.serialize() ?? null,
    isSampled,
    end: (attributes, errorType = null) => {
      if (!isSampled) return;
      for (const [name, value] of Object.entries(attributes))
        if (value !== null && value !== undefined) span.setAttribute(name, value);
      if (errorType !== null)
        span.setAttribute("error.type", errorType).setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
};

/** Begins with `service.name` and an id of its own; the environment's attributes win. */
const resourceOf = () =>
  defaultResource()
    .merge(resourceFromAttributes({ "service.name": "cambio-bridge", "service.instance.id": randomUUID() }))
    .merge(detectResources({ detectors: [envDetector] }));

/** Only this file and export.ts import OpenTelemetry, and they are loaded only when traces are on. */
export const exportTraces = (
  { url, propagates }: { url: string; propagates: boolean },
  { clock, log }: { clock: Pick<Clock, "monotonic">; log: Log },
): Traces => {
  const mask = maskFor(headerSecrets());
  const masked = (text: string): string => mask(text, MAX_REASON_LENGTH);
  let unreported = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  const lost = (spans: number, reason: string): void => {
    unreported += spans;
    if (clock.monotonic() - reportedAt < REPORT_EVERY_MS) return;
    log.warn({ spans: unreported, reason: masked(reason) }, "traces.lost");
    reportedAt = clock.monotonic();
    unreported = 0;
  };
  let isOpening = true;
  const say = (...parts: unknown[]): void => {
    // Among other things the library hands on whole answers, as bytes.
    const texts = parts.filter((one) => typeof one === "string" || one instanceof Error);
    const text = masked(texts.map(messageOf).join(" "));
    // What it says while it opens is of variables that it leaves out. In quotes stand their values.
    const reason = text.replace(/'[^']*'|"[^"]*"/g, '"…"');
    if (isOpening) log.warn({ reason }, "traces.ignored");
    else if (text.startsWith("Dropped ")) lost(parseInt(text.slice(8), 10), text);
    else log.debug({ text }, "traces.client");
  };
  const debug = (line: string): void => {
    if (isOpening && line.startsWith("EnvDetector failed")) say(line);
  };
  diag.setLogger(
    { error: say, warn: say, info: nothing, debug, verbose: nothing },
    { logLevel: DiagLogLevel.DEBUG, suppressOverrideMessage: true },
  );

  const spanProcessors = [spanProcessor(url, lost)];
  const provider = new BasicTracerProvider({ resource: resourceOf(), spanProcessors });
  isOpening = false;
  const tracer = provider.getTracer("cambio-bridge");

  return {
    begin: ({ name, kind, parent, link = null }) => {
      // Within an unsampled span of this process every sampler decides the same: no new ids are needed.
      if (parent?.traceparent.endsWith("-00") === true) return { ...parent, isSampled: false, end: nothing };
      const parentSpan = parent && contextOf(parent, false);
      const linkedSpan = link && contextOf(link, true);
      const context = parentSpan ? trace.setSpanContext(ROOT_CONTEXT, parentSpan) : ROOT_CONTEXT;
      const links = linkedSpan ? [{ context: linkedSpan }] : [];
      const spanKind = SpanKind[kind.toUpperCase() as Uppercase<typeof kind>];
      return spanOf(tracer.startSpan(name, { kind: spanKind, links }, context));
    },
    propagates,
    close: () => provider.shutdown().catch(nothing),
  };
};
