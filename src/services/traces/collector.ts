import type { Config } from "../../config/config.ts";
import { readEscapedPairs } from "../../config/open-telemetry.ts";
import type { ExportOptions } from "../../ops/traces/export.ts";
import { pem } from "../pem.ts";

/** Where spans are exported to. */
export type Collector = Pick<ExportOptions, "url" | "headers" | "ca">;

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
