// A topic that is limited in size deletes records before their time.
import type { FoundTopic } from "./cluster.ts";
import type { TopicNames } from "./topics.ts";

/** What may happen when records are deleted too early. The control topic is compacted: the limit does not apply. */
const CONSEQUENCES: Readonly<Record<Exclude<keyof TopicNames, "control">, string>> = {
  transactionStatus:
    "it may lose events before their consumers read them, and the reconcile flow may publish them again",
  commands: "it may lose commands before they are read",
  results: "it may lose results before their readers see them",
  journal: "it may lose accepts too early",
  deadLetters: "it may lose dead letters before anybody sees them",
  audit: "it may forget who did what, and a dead letter may be replayed twice",
};

/** A sentence if the topic of this role is limited in size. */
export const sizeLimit = (
  role: keyof TopicNames,
  names: TopicNames,
  found: ReadonlyMap<string, FoundTopic>,
): string[] => {
  const bytes = Number(found.get(names[role])?.config["retention.bytes"] ?? -1);
  return role === "control" || bytes < 0
    ? []
    : [`Topic ${names[role]} is limited in size, so that ${CONSEQUENCES[role]}: set retention.bytes=-1.`];
};
