import type { Config } from "../../config/config.ts";
import type { Reconcile } from "../flow.ts";
import type { PublishOnce } from "../../notification/publish-once.ts";
import type { Partner } from "../../partner/client.ts";
import type { Span, Traces } from "../../runtime/traces.ts";
import { fetchLogInSpan } from "../../services/traces/partner-span.ts";

type Ports = Pick<Partner, "fetchLog" | "mask"> & { publishOnce: PublishOnce };

/** Wraps reconcile runs, one at a time, in spans; their log reads and publications are children. */
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
    fetchLog: fetchLogInSpan(traces, address, () => span, fetchLog),
    publishOnce: (notification, arrival) => publishOnce(notification, { ...arrival, trace: span }),
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
