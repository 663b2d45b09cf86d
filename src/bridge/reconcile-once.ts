import type { Config } from "../config/config.ts";
import { inspect } from "../kafka/cluster/inspect.ts";
import type { Progress, Report } from "../log-to-events/flow.ts";
import type { Window } from "../log-to-events/period.ts";
import { UsageError } from "../runtime/errors.ts";
import { openEvents } from "./events.ts";
import type { Kit } from "./kit.ts";
import { openPartner } from "./partner.ts";
import { reconcileRuns } from "./reconcile.ts";
import { roomFor } from "./room.ts";

/** For so long the partner can ask a run to wait that a person watches. */
const PATIENCE_MS = 600_000;
/** The memory calls itself up after a while, whatever it has read. */
const LOOK_EVERY_MS = 50;

export type RunOnce = {
  window: Window;
  dryRun: boolean;
  force: boolean;
  progress: (step: Progress) => void;
};

/** One run over the partner's log, now. Throws a UsageError when something is missing in Kafka or the registry. */
export const reconcileOnce = async (
  config: Config,
  kit: Kit,
  { window, dryRun, force, progress }: RunOnce,
  signal: AbortSignal,
): Promise<Report> => {
  const cluster = await kit.connectCluster();
  const lookbackMs = kit.clock.now() - window.fromMs;
  const room = roomFor(config, ["reconcile"]);
  const { schemaIds, problems, retentionWarning } = await inspect(
    { names: config.topics, used: ["transactionStatus"], largestRecords: room, lookbackMs },
    { cluster, registry: kit.registry },
  );
  await cluster.close();
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  if (retentionWarning !== null && !force && !dryRun)
    throw new UsageError(`${retentionWarning} Or begin with a later day, or insist with --force.`);

  const schemaId = schemaIds.get("transaction-status-updated") ?? 0;
  const partner = openPartner(config, kit);
  const events = await openEvents(config, { kit, schemaId, outOfOrder: () => undefined });
  try {
    const hooks = { mayPublish: () => signal.throwIfAborted(), published: () => undefined, progress };
    const run = reconcileRuns(config, { kit, events, partner, schemaId }, hooks);
    // What others publish meanwhile is seen from then on.
    const isCaughtUp = (): boolean => events.components()["events-memory"]?.up === true;
    while (!isCaughtUp()) await kit.clock.sleep(LOOK_EVERY_MS, signal);
    const giveUpAt = kit.clock.monotonic() + PATIENCE_MS;
    const { minAgeMs } = config.reconcile;
    return await run({ window, minAgeMs, dryRun, force, giveUpAt }, signal);
  } finally {
    await Promise.all([events.close(), partner.close()]);
  }
};
