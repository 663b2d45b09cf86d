import type { Config } from "../config/config.ts";
import { inspect, type InspectOptions, type Inspection } from "../kafka/cluster/inspect.ts";
import { setUp } from "../kafka/cluster/setup.ts";
import type { TopicNames } from "../kafka/cluster/topics.ts";
import { UsageError } from "../runtime/errors.ts";
import type { Kit } from "./kit.ts";
import { roomFor, roomForAll } from "./room.ts";
import { advice, named } from "./unanswered.ts";

/** So long a start waits for a Kafka or a registry that does not answer yet; orchestrators start things in any order. */
const WAIT_MS = 60_000;
const AGAIN_AFTER_MS = 2_000;

/** The topics that the flows read or write. */
export const usedTopics = ({ bridge }: Config): (keyof TopicNames)[] => [
  ...(bridge.flows.some((flow) => flow !== "commands") ? (["transactionStatus"] as const) : []),
  ...(bridge.flows.includes("commands") ? (["commands", "results", "journal"] as const) : []),
  ...(bridge.flows.some((flow) => flow !== "webhooks") ? (["control"] as const) : []),
  "deadLetters",
];

/** What the flows need of their topics. */
export const inspectOptions = (config: Config): InspectOptions => ({
  names: config.topics,
  used: usedTopics(config),
  largestRecords: roomFor(config, config.bridge.flows),
  lookbackMs: config.bridge.flows.includes("reconcile") ? config.reconcile.lookbackMs : null,
});

const once = async (config: Config, kit: Kit): Promise<Inspection> => {
  const cluster = await kit.connectCluster();
  try {
    if (config.bridge.setupOnStart) {
      const { partitions, replicationFactor } = config.topics;
      const say = (line: string): void => kit.log.info({ line }, "setup");
      await setUp(
        {
          names: config.topics,
          partitions,
          replicationFactor,
          largestRecords: roomForAll(config),
          dryRun: false,
        },
        { ...kit, cluster, say },
      );
    }
    return await inspect(inspectOptions(config), { cluster, registry: kit.registry });
  } finally {
    await cluster.close();
  }
};

/**
 * Looks whether everything that the flows need is there, and waits a while for Kafka and the registry to answer at all.
 * Throws a UsageError with one sentence for each thing that is missing.
 * @param waiting hears what is waited for
 */
export const lookAround = async (
  config: Config,
  kit: Kit,
  signal: AbortSignal,
  waiting: (reason: string) => void,
): Promise<Inspection> => {
  const until = kit.clock.monotonic() + WAIT_MS;
  for (;;) {
    try {
      const inspection = await once(config, kit);
      if (inspection.problems.length > 0) throw new UsageError(inspection.problems.join("\n"));
      for (const warning of inspection.warnings) kit.log.warn({ warning }, "start.warning");
      return inspection;
    } catch (error) {
      if (error instanceof UsageError && !(error.cause instanceof Error)) throw error;
      const reason = named(error, config);
      kit.log.warn({ reason }, "start.waiting");
      waiting(reason);
      if (kit.clock.monotonic() > until) {
        throw new UsageError(`${reason}; ${advice(error)}.`, { cause: error });
      }
      await kit.clock.sleep(AGAIN_AFTER_MS, signal);
    }
  }
};
