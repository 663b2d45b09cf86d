import type { Config } from "../../config/config.ts";
import type { Reconcile } from "../../log-to-events/flow.ts";
import type { PublishOnce } from "../../notification/publish-once.ts";
import type { Partner } from "../../partner/client.ts";
import type { Span, Traces } from "../../runtime/traces.ts";
import { fetching } from "./partner-span.ts";

type Ports = Pick<Partner, "fetchLog" | "mask"> & { publishOnce: PublishOnce };

/** Shows runs over the partner's log, one at a time, and what they do outside of themselves as parts of them. */
export const tracedRuns = (
  { partner: { baseUrl } }: Config,
  traces: Traces | null,
  { fetchLog, mask, publishOnce }: Ports,
  runsWith: (ports: Omit<Ports, "mask">) => Reconcile,
): Reconcile => {
  if (traces === null) return runsWith({ fetchLog, publishOnce });
  let span: Span | null = null;
  const address = { url: new URL(baseUrl ?? ""), mask };
  const run = runsWith({
    fetchLog: fetching(traces, address, () => span, fetchLog),
    publishOnce: (notification, arrival) =>
      publishOnce(notification, {
        ...arrival,
        traceparent: span?.traceparent ?? null,
        tracestate: span?.tracestate,
      }),
  });
  return async (request, signal) => {
    const own = traces.begin({ name: "reconcile", kind: "internal", parent: null });
    span = own;
    let report: Awaited<ReturnType<Reconcile>> | null = null;
    try {
      report = await run(request, signal);
      return report;
    } finally {
      const result = report?.result ?? "given_up";
      own.end(
        {
          "cambio.reconcile.result": result,
          "cambio.reconcile.known": report?.known,
          "cambio.reconcile.published": report?.published,
        },
        result === "complete" ? null : result,
      );
    }
  };
};
