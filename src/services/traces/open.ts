import type { Config } from "../../config/config.ts";
import type { Metrics } from "../../ops/metrics.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { Traces } from "../../runtime/traces.ts";

type Deps = {
  /** Null if there are no metrics. */
  metrics: Pick<Metrics, "spansExported" | "spansFailed" | "spansDropped"> | null;
  clock: Clock;
  log: Log;
};

/** Exports spans to the configured collector. Null if there is none: OpenTelemetry is not even loaded then. */
export const openTraces = async (
  { traces }: Config,
  { metrics, clock, log }: Deps,
): Promise<Traces | null> => {
  const url = traces.tracesEndpoint ?? (traces.endpoint && `${traces.endpoint}/v1/traces`);
  if (url === undefined || traces.disabled || traces.exporter === "none") return null;
  const { openTraces: open } = await import("../../ops/traces/open.ts");
  const counts = {
    exported: (spans: number) => metrics?.spansExported.inc(spans),
    failed: (spans: number) => metrics?.spansFailed.inc(spans),
    dropped: (spans: number) => metrics?.spansDropped.inc(spans),
  };
  const propagates = traces.propagators.includes("tracecontext");
  return open({ url, propagates }, { counts, clock, log });
};
