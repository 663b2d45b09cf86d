import type { Config } from "../../config/config.ts";
import { readEscapedPairs } from "../../config/settings/traces.ts";
import type { Metrics } from "../../ops/metrics.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { Traces } from "../../runtime/traces.ts";
import { pem } from "../pem.ts";

/** Where spans are exported to. The values of the headers are secret. */
export type Collector = {
  url: string;
  headers: () => Readonly<Record<string, string>>;
  ca: string | undefined;
};

/** The configured collector; null where traces are off. */
export const collectorOf = ({ traces }: Config): Collector | null => {
  const url = traces.tracesEndpoint ?? (traces.endpoint && `${traces.endpoint}/v1/traces`);
  if (url === undefined || traces.disabled || traces.exporter === "none") return null;
  return {
    url,
    headers: () => ({
      ...readEscapedPairs(traces.headers?.reveal() ?? ""),
      ...readEscapedPairs(traces.tracesHeaders?.reveal() ?? ""),
    }),
    ca: pem("OTEL_EXPORTER_OTLP_CERTIFICATE", traces.tracesCaFile ?? traces.caFile),
  };
};

type Deps = {
  /** Null if there are no metrics. */
  metrics: Pick<Metrics, "spansExported" | "spansFailed" | "spansDropped"> | null;
  clock: Clock;
  log: Log;
};

/** Exports spans to the configured collector. Null if there is none: OpenTelemetry is not even loaded then. */
export const openTraces = async (config: Config, { metrics, clock, log }: Deps): Promise<Traces | null> => {
  const collector = collectorOf(config);
  if (collector === null) return null;
  const { openTraces: open } = await import("../../ops/traces/open.ts");
  const counts = {
    exported: (spans: number) => metrics?.spansExported.inc(spans),
    failed: (spans: number) => metrics?.spansFailed.inc(spans),
    dropped: (spans: number) => metrics?.spansDropped.inc(spans),
  };
  const propagates = config.traces.propagators.includes("tracecontext");
  return open({ ...collector, propagates }, { counts, clock, log });
};
