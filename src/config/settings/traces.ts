import { checkHeaders, readEscapedPairs, readFlag, readRatio } from "../open-telemetry.ts";
import {
  certificates,
  integer,
  oneOf,
  optionalInteger,
  optionalOneOf,
  optionalText,
  secret,
  someOf,
  url,
  withDefault,
} from "../setting.ts";

const MAX_MS = { min: 1, max: 600_000 } as const;
const PROTOCOLS = ["http/protobuf"] as const;
const COMPRESSIONS = ["none", "gzip"] as const;

const flag = withDefault("true or false", readFlag);
const pairs = withDefault("list of key=value", readEscapedPairs);
const ratio = withDefault("0 to 1", readRatio);

/**
 * OpenTelemetry's variables, with its own names and defaults; its milliseconds have no unit. The specification lets those of
 * traces go before those of all signals.
 */
export const traces = {
  disabled: flag({
    env: "OTEL_SDK_DISABLED",
    fallback: "false",
    help: "Switches traces off, whatever else is set.",
  }),
  exporter: oneOf({
    env: "OTEL_TRACES_EXPORTER",
    fallback: "otlp",
    values: ["otlp", "none"],
    help: "Exporter; none switches traces off.",
  }),
  endpoint: url({
    env: "OTEL_EXPORTER_OTLP_ENDPOINT",
    help: "Address of the collector; /v1/traces is appended. Traces are off without this and the next setting.",
  }),
  tracesEndpoint: url({
    env: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    help: "Full address for traces; nothing is appended.",
  }),
  protocol: oneOf({
    env: "OTEL_EXPORTER_OTLP_PROTOCOL",
    fallback: "http/protobuf",
    values: PROTOCOLS,
    help: "The only protocol that is supported, usually on port 4318 of a collector.",
  }),
  tracesProtocol: optionalOneOf({
    env: "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
    values: PROTOCOLS,
    help: "Overrides the setting above for traces.",
  }),
  headers: secret({
    env: "OTEL_EXPORTER_OTLP_HEADERS",
    help: "Headers for the collector, as key=value,key=value with percent-escapes.",
    check: checkHeaders,
  }),
  tracesHeaders: secret({
    env: "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    help: "Headers for traces only, added to those above.",
    check: checkHeaders,
  }),
  timeoutMs: integer({
    env: "OTEL_EXPORTER_OTLP_TIMEOUT",
    fallback: "10000",
    ...MAX_MS,
    help: "Longest export with its retries, in milliseconds.",
  }),
  tracesTimeoutMs: optionalInteger({
    env: "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT",
    ...MAX_MS,
    help: "Overrides the setting above for traces.",
  }),
  compression: oneOf({
    env: "OTEL_EXPORTER_OTLP_COMPRESSION",
    fallback: "none",
    values: COMPRESSIONS,
    help: "Compression of exports.",
  }),
  tracesCompression: optionalOneOf({
    env: "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION",
    values: COMPRESSIONS,
    help: "Overrides the setting above for traces.",
  }),
  caFile: certificates({ env: "OTEL_EXPORTER_OTLP_CERTIFICATE", help: "CA certificates, PEM." }),
  tracesCaFile: certificates({
    env: "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE",
    help: "Overrides the setting above for traces.",
  }),
  serviceName: optionalText({
    env: "OTEL_SERVICE_NAME",
    help: "Value of service.name on all spans; cambio-bridge when absent.",
  }),
  resourceAttributes: pairs({
    env: "OTEL_RESOURCE_ATTRIBUTES",
    fallback: "",
    help: "Resource attributes of all spans, as key=value,key=value with percent-escapes.",
  }),
  sampler: oneOf({
    env: "OTEL_TRACES_SAMPLER",
    fallback: "parentbased_always_on",
    values: [
      "always_on",
      "always_off",
      "traceidratio",
      "parentbased_always_on",
      "parentbased_always_off",
      "parentbased_traceidratio",
    ],
    help: "Sampler.",
  }),
  samplerArg: ratio({
    env: "OTEL_TRACES_SAMPLER_ARG",
    fallback: "1",
    help: "Share of traces that traceidratio keeps.",
  }),
  propagators: someOf({
    env: "OTEL_PROPAGATORS",
    fallback: "tracecontext,baggage",
    values: ["tracecontext", "baggage", "none"],
    help: "Without tracecontext, trace contexts are neither read nor written. Baggage is never passed on.",
  }),
  queueSize: integer({
    env: "OTEL_BSP_MAX_QUEUE_SIZE",
    fallback: "2048",
    min: 1,
    max: 1_000_000,
    help: "Spans that wait for the collector; more are dropped and counted.",
  }),
  batchSize: integer({
    env: "OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
    fallback: "512",
    min: 1,
    max: 1_000_000,
    help: "Spans in one export.",
  }),
  delayMs: integer({
    env: "OTEL_BSP_SCHEDULE_DELAY",
    fallback: "5000",
    ...MAX_MS,
    help: "Milliseconds between two exports.",
  }),
  exportTimeoutMs: integer({
    env: "OTEL_BSP_EXPORT_TIMEOUT",
    fallback: "30000",
    ...MAX_MS,
    help: "Longest wait for an export, in milliseconds.",
  }),
} as const;
