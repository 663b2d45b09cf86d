import type { Handled } from "../flow.ts";
import type { Incoming } from "../../kafka/record.ts";
import type { Services } from "../../kafka/wire/services.ts";

/** Makes the function that counts a command's result, and writes the one log line that sums the command up. */
export const outcomeLog =
  ({ log, metrics }: Pick<Services, "log" | "metrics">) =>
  ({ topic, partition, offset }: Incoming, { identity, result, deadLettered }: Handled, ms: number): void => {
    if (result) metrics.results.inc({ operation: result.operation, outcome: result.outcome });
    const { commandId, operation } = identity;
    const { outcome, quoteId, attempts, error } = result ?? {};
    const line = { commandId, operation, outcome, code: error?.code, quoteId, attempts, deadLettered };
    const fields = { ...line, topic, partition, offset, ms: Math.round(ms) };
    if (outcome === "IN_DOUBT") log.warn(fields, "command.in.doubt");
    else log.info(fields, "command.concluded");
  };
