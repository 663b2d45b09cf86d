import { diag } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from "@opentelemetry/sdk-trace-base";
import { messageOf } from "../../runtime/errors.ts";
import { decodePercent } from "../../runtime/percent.ts";

/** The library takes any number: some of these would let it spin, or drop every span. */
const DEFAULTS = {
  maxQueueSize: ["OTEL_BSP_MAX_QUEUE_SIZE", 2_048],
  maxExportBatchSize: ["OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512],
  scheduledDelayMillis: ["OTEL_BSP_SCHEDULE_DELAY", 5_000],
  exportTimeoutMillis: ["OTEL_BSP_EXPORT_TIMEOUT", 30_000],
} as const;

/** What replaces the impossible ones. The library reads the others itself. */
const replaced = (): Record<string, number> =>
  Object.fromEntries(
    Object.entries(DEFAULTS).flatMap(([option, [variable, fallback]]) => {
      const text = process.env[variable]?.trim() ?? "";
      if (text === "" || /^[1-9]\d{0,8}$/.test(text)) return [];
      diag.warn(`${variable} is no number above 0, defaulting to ${fallback}`);
      return [[option, fallback]];
    }),
  );

/** The values of headers for the collector, which its library reads: as they stand there, and without escapes. */
export const headerSecrets = (): string[] =>
  ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"]
    .flatMap((name) => (process.env[name] ?? "").split(","))
    .map((pair) => pair.slice(pair.indexOf("=") + 1).trim())
    .flatMap((value) => [decodePercent(value) ?? value, value]);

/** The library reads from the environment what is absent here. */
export const spanProcessor = (url: string, lost: (spans: number, reason: string) => void): SpanProcessor => {
  const exporter = new OTLPTraceExporter({ url });
  const reporting: SpanExporter = {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error) lost(spans.length, messageOf(result.error));
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
  return new BatchSpanProcessor(reporting, replaced());
};
