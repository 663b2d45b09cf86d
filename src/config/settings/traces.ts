import { url } from "../addresses.ts";
import { flag, oneOf, someOf } from "../kinds.ts";

const protocol = oneOf(["http/protobuf"]);

/** OpenTelemetry's SDK reads all of its other variables itself. */
export const traces = {
  disabled: flag("OTEL_SDK_DISABLED", "Switches traces off, whatever else is set."),
  exporter: oneOf(["otlp", "none"])("OTEL_TRACES_EXPORTER", "otlp", "Exporter; none switches traces off."),
  endpoint: url(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "Address of the collector; /v1/traces is appended. Traces are off without this and the next setting.",
  ),
  tracesEndpoint: url("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "Full address for traces; nothing is appended."),
  protocol: protocol(
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "http/protobuf",
    "The only protocol that is supported, usually on port 4318 of a collector.",
  ),
  tracesProtocol: protocol("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "Overrides the setting above for traces."),
  propagators: someOf(["tracecontext", "baggage", "none"])(
    "OTEL_PROPAGATORS",
    "tracecontext,baggage",
    "Without tracecontext, trace contexts are neither read nor written. Baggage is never passed on.",
  ),
} as const;
