// A compacted topic keeps only the last record of each key, and accepts no record without a key.
import type { FoundTopic } from "./cluster.ts";
import type { TopicNames } from "./topics.ts";

/** The control topic is compacted on purpose. */
const CONSEQUENCES: Readonly<Record<Exclude<keyof TopicNames, "control">, string>> = {
  transactionStatus: "which drops all statuses of a transaction but the last",
  commands: "which drops commands of one key",
  results: "which accepts no result of an unreadable command without a key, so that its partition stops",
  journal: "which forgets accepts",
  deadLetters:
    "which accepts no dead letter without a key, so that webhooks that are not understood get 503 and commands stop",
  audit: "which forgets who asked for what and which dead letters were replayed",
};

/** A sentence if the topic of this role is compacted. */
export const compaction = (
  role: keyof TopicNames,
  names: TopicNames,
  found: ReadonlyMap<string, FoundTopic>,
): string[] =>
  role === "control" || !found.get(names[role])?.config["cleanup.policy"]?.includes("compact")
    ? []
    : [`Topic ${names[role]} is compacted, ${CONSEQUENCES[role]}: set cleanup.policy=delete.`];
