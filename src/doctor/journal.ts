import { createVerdict } from "../bridge/journal-wiring/verdict.ts";
import type { Services } from "../bridge/services.ts";
import type { Config } from "../config/config.ts";
import type { Cluster, FoundTopic } from "../kafka/cluster/cluster.ts";
import { createLogIdentity } from "../kafka/cluster/log-identity.ts";
import { fail, type Check } from "./check.ts";

const REMEDY = 'start and restart nothing: do what "The journal is lost" in docs/failures.md says';

/**
 * Compares the journal with the notes that the replicas left beside the group's offsets, as `serve` does at its start.
 * Only what can be told without reading the journal.
 */
export const checkJournal = async (
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
  for (const { note } of (await cluster.committed(kafka.groupId, topics.commands)).values())
    identity.recall(note);
  const lasts = identity.lasts();
  const ranges = await cluster.ranges(topic);
  const missing = identity.missing(ranges, lasts);
  const dropped = identity.dropped(ranges);
  if (dropped !== null && missing === null) await verdict.judge(dropped);
  const fault =
    missing ??
    verdict
      .fault()
      ?.replace(`${topic} `, "")
      .replace(/: nothing is begun.*$/s, "");
  return fault === undefined
    ? []
    : [
        fail(
          `topic ${topic}`,
          `is not the journal that the group ${kafka.groupId} has used: it ${fault}`,
          REMEDY,
        ),
      ];
};
