import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import type { PartialSuccess } from "./partial-success.ts";

export type ExportOptions = {
  url: string;
  /** The values are secret. Called for each export, so that rotated ones are used. */
  headers: () => Readonly<Record<string, string>>;
  timeoutMs: number;
  compression: "none" | "gzip";
  /** CA certificates, PEM. */
  ca: string | undefined;
  queueSize: number;
  batchSize: number;
  delayMs: number;
  exportTimeoutMs: number;
};

/** Counters of spans. */
export type SpanCounts = Record<"exported" | "failed" | "dropped", (spans: number) => void>;

type ExporterConfig = NonNullable<ConstructorParameters<typeof OTLPTraceExporter>[0]>;

const exporterOf = ({ url, headers, timeoutMs, compression, ca }: ExportOptions): SpanExporter => {
  const agent = url.startsWith("https:")
    ? new HttpsAgent({ keepAlive: true, ...(ca !== undefined && { ca }) })
    : new HttpAgent({ keepAlive: true });
  // The library reads every option that is absent here from the environment.
  return new OTLPTraceExporter({
    url,
    timeoutMillis: timeoutMs,
    // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- the enum of these two values is not exported by the exporter's package
    compression: compression as NonNullable<ExporterConfig["compression"]>,
    headers: () => Promise.resolve({ ...headers() }),
    httpAgentOptions: () => agent,
  });
};

/**
 * Exports spans in batches, and counts them. Spans that do not fit into the queue are dropped here, because
 * the library does not report how many it drops.
 * @param lost called for spans that were not exported
 * @param partialSuccess of the export that the library calls back for
 */
export const countingProcessor = (
  options: ExportOptions,
  counts: SpanCounts,
  lost: (spans: number, reason: string) => void,
  partialSuccess: () => PartialSuccess | null,
  clock: Pick<Clock, "within">,
): SpanProcessor => {
  const exporter = exporterOf(options);
  let waiting = 0;
  const count = (spans: number, failed: number, reason: string): void => {
    counts.exported(spans - failed);
    if (failed === 0) return;
    counts.failed(failed);
    lost(failed, reason);
  };
  const counting: SpanExporter = {
    export: (spans, done) => {
      waiting -= spans.length;
      const answered = new Promise<PartialSuccess | null>((resolve, reject) => {
        exporter.export(spans, (result) => {
          const partial = partialSuccess();
          if (result.error) reject(result.error);
          else resolve(partial);
          done(result);
        });
      });
      // The exporter's own timeout is one of silence: an answer that trickles would never be counted.
      void clock.within(options.exportTimeoutMs, undefined, answered).then(
        (partial) =>
          count(spans.length, Math.min(partial?.rejectedSpans ?? 0, spans.length), partial?.reason ?? ""),
        (error: unknown) => count(spans.length, spans.length, messageOf(error)),
      );
    },
    shutdown: () => exporter.shutdown(),
  };
  const batches = new BatchSpanProcessor(counting, {
    maxQueueSize: options.queueSize,
    maxExportBatchSize: options.batchSize,
    scheduledDelayMillis: options.delayMs,
    exportTimeoutMillis: options.exportTimeoutMs,
  });
  return {
    onStart: () => undefined,
    onEnd: (span) => {
      if (waiting >= options.queueSize) {
        counts.dropped(1);
        lost(1, "more spans wait than OTEL_BSP_MAX_QUEUE_SIZE allows");
        return;
      }
      waiting += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
};
