import { randomUUID } from "node:crypto";
import type { Config } from "../../config/config.ts";
import type { Metrics } from "../../ops/metrics.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { Traces } from "../../runtime/traces.ts";
import { collectorOf } from "./collector.ts";

type Deps = {
  /** Null if there are no metrics. */
  metrics: Pick<Metrics, "spansExported" | "spansFailed" | "spansDropped"> | null;
  clock: Clock;
  log: Log;
};

/**
 * Exports spans to the configured collector. Null if there is none: OpenTelemetry is not even loaded then.
 */
export const openTraces = async (config: Config, { metrics, clock, log }: Deps): Promise<Traces | null> => {
  const collector = collectorOf(config);
  if (collector === null) return null;
  const { traces } = config;
  const { serviceName, resourceAttributes } = traces;
  const name = serviceName ?? resourceAttributes["service.name"] ?? "cambio-bridge";
  const { openTraces: open } = await import("../../ops/traces/open.ts");
  return open(
    {
      ...collector,
      timeoutMs: traces.tracesTimeoutMs ?? traces.timeoutMs,
      compression: traces.tracesCompression ?? traces.compression,
      resource: { "service.instance.id": randomUUID(), ...resourceAttributes, "service.name": name },
      sampler: traces.sampler,
      ratio: traces.samplerArg,
      propagates: traces.propagators.includes("tracecontext"),
      queueSize: traces.queueSize,
      batchSize: traces.batchSize,
      delayMs: traces.delayMs,
      exportTimeoutMs: traces.exportTimeoutMs,
    },
    {
      counts: {
        exported: (spans) => metrics?.spansExported.inc(spans),
        failed: (spans) => metrics?.spansFailed.inc(spans),
        dropped: (spans) => metrics?.spansDropped.inc(spans),
      },
      clock,
      log,
    },
  );
};
