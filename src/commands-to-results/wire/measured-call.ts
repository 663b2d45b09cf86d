import type { Services } from "../../kafka/wire/services.ts";
import type { Call } from "../../partner/types.ts";
import { missingFields } from "../../runtime/named-fields.ts";

/**
 * Counts and times every call, and the fields that a 2xx lacks. A call that was not sent because it was no longer
 * allowed is counted as `notAllowed`: such calls say nothing about the partner.
 */
export const measured =
  (call: Call, { metrics, clock, config }: Pick<Services, "metrics" | "clock" | "config">): Call =>
  async (request, options) => {
    const startedAt = clock.monotonic();
    // A call that has no time left cannot even connect.
    let isAllowed = options.withinMs > 0;
    const mayCall = (): boolean => (isAllowed = options.mayCall());
    const outcome = await call(request, { ...options, mayCall });
    const { operation } = request;
    const kind = outcome.kind === "notSent" && !isAllowed ? "notAllowed" : outcome.kind;
    metrics.partnerCalls.inc({ operation, outcome: kind });
    if (outcome.kind === "executed")
      for (const field of missingFields(config.partner.resultFields, outcome.answer.fields ?? {}))
        metrics.fieldsMissing.inc({ kind: "result", field });
    metrics.partnerSeconds.observe({ operation }, (clock.monotonic() - startedAt) / 1_000);
    return outcome;
  };
