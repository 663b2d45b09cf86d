import { droppedText, journalIdentity } from "../commands-to-results/accept-once/journal/watch.ts";
import type { Services } from "../services/services.ts";
import type { Config } from "../config/config.ts";
import type { Cluster } from "../kafka/cluster/cluster.ts";
import { askCoordinator } from "../kafka/cluster/coordinator.ts";
import { messageOf } from "../runtime/errors.ts";
import { fail, warn, type Check } from "./check.ts";

/** The other checks of topics must not wait for a coordinator that is not there. */
const COMPARE_MS = 4_000;
const REMEDY = 'start and restart nothing: do what "The journal is lost" in docs/failures.md says';

const compare = async ({ topics, kafka }: Config, services: Services, cluster: Cluster): Promise<Check[]> => {
  const { clock } = services;
  const { journal: topic } = topics;
  const identity = journalIdentity(clock);
  const committed = await askCoordinator(clock, () => cluster.committed(kafka.groupId, topics.commands));
  for (const { note } of committed.values()) identity.recall(note);
  const lasts = identity.lasts();
  const ranges = await cluster.ranges(topic);
  const missing = identity.missing(ranges, lasts);
  const dropped = identity.dropped(ranges);
  const fault = missing ?? (dropped && droppedText(dropped));
  return fault === null
    ? []
    : [
        fail(
          `topic ${topic}`,
          `is not the journal that the group ${kafka.groupId} has used: it ${fault}`,
          REMEDY,
        ),
      ];
};

/**
 * Compares the journal with the notes that the replicas left beside the group's offsets, as `serve` does at its start.
 * Only what can be told without reading the journal.
 */
export const checkJournal: typeof compare = (config, services, cluster) =>
  services.clock
    .within(COMPARE_MS, undefined, compare(config, services, cluster))
    .catch((error: unknown) => [
      warn(
        `topic ${config.topics.journal}`,
        `could not be compared with what the group ${config.kafka.groupId} knows of it (${messageOf(error)})`,
        "run `cambio-bridge doctor` again",
      ),
    ]);
