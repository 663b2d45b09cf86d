import type { Config } from "../../config/config.ts";
import { inspect } from "../../kafka/cluster/inspect.ts";
import type { Report } from "../flow.ts";
import type { Period } from "../period.ts";
import { UsageError } from "../../runtime/errors.ts";
import { openEvents } from "../../notification/wire/events.ts";
import type { Services } from "../../services/services.ts";
import { withCluster } from "../../services/with-cluster.ts";
import { openPartner } from "../../services/partner.ts";
import { reconcileRuns } from "./open.ts";
import { largestRecordsFor } from "../../services/largest-records.ts";

/** How long a run may wait for the partner while a person watches. */
const PATIENCE_MS = 600_000;

export type RunOnce = {
  period: Period;
  dryRun: boolean;
  force: boolean;
};

/** One reconcile run, now. Throws a UsageError if something is missing in Kafka or the registry. */
export const reconcileOnce = async (
  config: Config,
  services: Services,
  { period, dryRun, force }: RunOnce,
  signal: AbortSignal,
): Promise<Report> => {
  const lookbackMs = services.clock.now() - period.fromMs;
  const largestRecords = largestRecordsFor(config, ["reconcile"]);
  const { schemaIds, problems, retentionWarning } = await withCluster(services, (cluster) =>
    inspect(
      { names: config.topics, used: ["transactionStatus"], largestRecords, lookbackMs },
      { cluster, registry: services.registry },
    ),
  );
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  if (retentionWarning !== null && !force && !dryRun)
    throw new UsageError(`${retentionWarning} Or begin with a later day, or insist with --force.`);

  const schemaId = schemaIds.get("transaction-status-updated") ?? 0;
  const partner = openPartner(config, services);
  const events = await openEvents(config, { services, schemaId, outOfOrder: () => undefined });
  try {
    const hooks = { mayPublish: () => signal.throwIfAborted(), published: () => undefined };
    const run = reconcileRuns(config, { services, events, partner, schemaId }, hooks);
    // From then on the window also sees what other replicas publish.
    await events.untilRead(signal);
    const giveUpAt = services.clock.monotonic() + PATIENCE_MS;
    const { minAgeMs } = config.reconcile;
    return await run({ period, minAgeMs, dryRun, force, giveUpAt }, signal);
  } finally {
    await Promise.all([events.close(), partner.close()]);
  }
};
