import { createVerdict } from "../bridge/journal-wiring/verdict.ts";
import type { Services } from "../bridge/services.ts";
import type { Config } from "../config/config.ts";
import type { Cluster, FoundTopic } from "../kafka/cluster/cluster.ts";
import { askCoordinator } from "../kafka/cluster/coordinator.ts";
import { createLogIdentity } from "../kafka/cluster/log-identity.ts";
import { messageOf } from "../runtime/errors.ts";
import { fail, warn, type Check } from "./check.ts";

/** The other checks of topics must not wait for a coordinator that is not there. */
const COMPARE_MS = 4_000;
const REMEDY = 'start and restart nothing: do what "The journal is lost" in docs/failures.md says';

const compare = async (
  { topics, kafka }: Config,
  services: Services,
  cluster: Cluster,
  found: FoundTopic,
): Promise<Check[]> => {
  const { clock } = services;
  const { journal: topic } = topics;
  const retention = found.config["retention.ms"];
  const retentionMs = (): Promise<number | null> =>
    Promise.resolve(retention === undefined ? null : Number(retention));
  const verdict = createVerdict({ topic, trust: () => undefined, retentionMs }, services);
  const identity = createLogIdentity({ horizonMs: verdict.horizonMs, now: clock.now });
  const committed = await askCoordinator(clock, () => cluster.committed(kafka.groupId, topics.commands));
  for (const { note } of committed.values()) identity.recall(note);
  const lasts = identity.lasts();
  const ranges = await cluster.ranges(topic);
  const missing = identity.missing(ranges, lasts);
  const dropped = identity.dropped(ranges);
  if (dropped !== null && missing === null) await verdict.judge(dropped);
  const fault = missing === null ? verdict.fault() : `it ${missing}`;
  return fault === null
    ? []
    : [
        fail(
          `topic ${topic}`,
          `is not the journal that the group ${kafka.groupId} has used: ${fault}`,
          REMEDY,
        ),
      ];
};

/**
 * Compares the journal with the notes that the replicas left beside the group's offsets, as `serve` does at its start.
 * Only what can be told without reading the journal.
 */
export const checkJournal: typeof compare = (config, services, cluster, found) =>
  services.clock
    .within(COMPARE_MS, undefined, compare(config, services, cluster, found))
    .catch((error: unknown) => [
      warn(
        `topic ${found.name}`,
        `could not be compared with what the group ${config.kafka.groupId} knows of it (${messageOf(error)})`,
        "run `cambio-bridge doctor` again",
      ),
    ]);
