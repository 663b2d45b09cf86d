import type { Config } from "../../config/config.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { Traces } from "../../runtime/traces.ts";

/** Exports spans to the configured collector. Null if there is none: OpenTelemetry is not even loaded then. */
export const openTraces = async (
  { traces }: Config,
  ports: { clock: Clock; log: Log },
): Promise<Traces | null> => {
  const url = traces.tracesEndpoint ?? (traces.endpoint && `${traces.endpoint}/v1/traces`);
  if (url === undefined || traces.disabled || traces.exporter === "none") return null;
  const { openTraces: open } = await import("../../ops/traces/open.ts");
  return open({ url, propagates: traces.propagators.includes("tracecontext") }, ports);
};
