import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Traces } from "../runtime/traces.ts";

type TraceSettings = {
  disabled: boolean;
  exporter: "otlp" | "none";
  endpoint: string | undefined;
  tracesEndpoint: string | undefined;
  propagators: readonly string[];
};

/** Exports spans to the configured collector. Null if there is none: OpenTelemetry is not even loaded then. */
export const openTraces = async (
  { disabled, exporter, endpoint, tracesEndpoint, propagators }: TraceSettings,
  ports: { clock: Clock; log: Log },
): Promise<Traces | null> => {
  const url = tracesEndpoint ?? (endpoint && `${endpoint}/v1/traces`);
  if (url === undefined || disabled || exporter === "none") return null;
  const { exportTraces } = await import("./traces/open.ts");
  return exportTraces({ url, propagates: propagators.includes("tracecontext") }, ports);
};
