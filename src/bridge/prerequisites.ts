import { inspect, type Inspection } from "../kafka/cluster/inspect.ts";
import { setUp } from "../kafka/cluster/setup.ts";
import { UsageError } from "../runtime/errors.ts";
import type { Services } from "../kafka/wire/services.ts";
import { withCluster } from "../kafka/cluster/with-cluster.ts";
import { setupOptions, topicDemands } from "../kafka/wire/topic-demands.ts";
import { describeOutage, outageAdvice } from "../kafka/wire/outage.ts";

/** How long the start waits for Kafka and the registry to answer: orchestrators start things in any order. */
const WAIT_MS = 60_000;
const AGAIN_AFTER_MS = 2_000;
/** A registry that has just started answers for some seconds that it knows no schema. */
const SCHEMAS_WAIT_MS = 30_000;

const inspectOnce = (services: Services): Promise<Inspection> =>
  withCluster(services, async (cluster) => {
    const { config } = services;
    if (config.bridge.setupOnStart) {
      const say = (line: string): void => services.log.info({ line }, "setup");
      await setUp(setupOptions(config, false), { ...services, cluster, say });
    }
    return inspect(topicDemands(config), { cluster, registry: services.registry });
  });

/** Waits a while for Kafka, the registry and its schemas. Throws a UsageError with a sentence for each problem. */
export const awaitPrerequisites = async (
  services: Services,
  signal: AbortSignal,
  onWaiting: (reason: string) => void,
): Promise<Pick<Inspection, "schemaIdOf">> => {
  const { config, clock, log } = services;
  const giveUpAtMs = clock.monotonic() + WAIT_MS;
  let schemasGiveUpAtMs: number | null = null;
  for (;;) {
    let reason: string;
    try {
      const { problems, mayPass, ...inspection } = await inspectOnce(services);
      if (problems.length === 0) {
        for (const warning of inspection.warnings) log.warn({ warning }, "start.warning");
        return inspection;
      }
      schemasGiveUpAtMs ??= clock.monotonic() + SCHEMAS_WAIT_MS;
      if (!mayPass || clock.monotonic() > schemasGiveUpAtMs) throw new UsageError(problems.join("\n"));
      reason = `a registry that was just started may know it later: ${problems.join(" ")}`;
    } catch (error) {
      if (error instanceof UsageError && !(error.cause instanceof Error)) throw error;
      reason = describeOutage(error, config);
      if (clock.monotonic() > giveUpAtMs)
        throw new UsageError(`${reason}; ${outageAdvice(error)}.`, { cause: error });
    }
    log.warn({ reason }, "start.waiting");
    onWaiting(reason);
    await clock.sleep(AGAIN_AFTER_MS, signal);
  }
};
