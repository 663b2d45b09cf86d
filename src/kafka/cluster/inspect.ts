import type { Cluster, FoundTopic } from "./cluster.ts";
import type { Registry } from "../schema/registry.ts";
import { readSchema, type RecordName } from "../schema/schemas.ts";
import { subjectOf, topicPlans, type TopicNames } from "./topics.ts";

/** What `serve` finds before it starts: ids to write with, what keeps it from starting, and what it only says. */
export type Inspection = {
  schemaIds: ReadonlyMap<RecordName, number>;
  problems: readonly string[];
  warnings: readonly string[];
};

const SETUP = "run `cambio-bridge setup`";

const journalProblems = (names: TopicNames, found: ReadonlyMap<string, FoundTopic>): string[] => {
  const journal = found.get(names.journal)?.config ?? {};
  const problems: string[] = [];
  if (journal["cleanup.policy"]?.includes("compact")) {
    problems.push(`Topic ${names.journal} is compacted, which forgets accepts: set cleanup.policy=delete.`);
  }
  if ((journal["message.timestamp.type"] ?? "LogAppendTime") !== "LogAppendTime") {
    problems.push(`Topic ${names.journal} needs message.timestamp.type=LogAppendTime.`);
  }
  if (Number(journal["retention.bytes"] ?? -1) >= 0) {
    problems.push(
      `Topic ${names.journal} is limited in size, so that an accept could be forgotten early: set retention.bytes=-1.`,
    );
  }
  const kept = Number(journal["retention.ms"] ?? -1);
  const commandsKept = Number(found.get(names.commands)?.config["retention.ms"] ?? 0);
  if (kept >= 0 && (commandsKept < 0 || kept < 2 * commandsKept)) {
    problems.push(
      `Topic ${names.journal} is kept for less than twice as long as ${names.commands}, so that an accept could be forgotten while its command is still there: raise its retention.ms.`,
    );
  }
  return problems;
};

const deadLetterProblems = (names: TopicNames, found: ReadonlyMap<string, FoundTopic>): string[] => {
  const room = Number(found.get(names.deadLetters)?.config["max.message.bytes"] ?? Infinity);
  const largest = Number(found.get(names.commands)?.config["max.message.bytes"] ?? 0);
  return room > largest
    ? []
    : [
        `Topic ${names.deadLetters} takes smaller records than ${names.commands}: raise its max.message.bytes.`,
      ];
};

const weaknesses = (names: readonly string[], found: ReadonlyMap<string, FoundTopic>): string[] => {
  const weak = names
    .map((name) => found.get(name))
    .filter((topic) => topic !== undefined)
    .filter(
      ({ replicationFactor, config }) =>
        replicationFactor < 3 || Number(config["min.insync.replicas"] ?? 2) < 2,
    );
  return weak.length === 0
    ? []
    : [
        `Fewer than 3 replicas or min.insync.replicas below 2: ${weak.map(({ name }) => name).join(", ")}. Losing one broker can lose acknowledged records there.`,
      ];
};

/** Looks whether topics and schemas are there and as they must be. Rejects when Kafka or the registry cannot be asked. */
export const inspect = async (
  names: TopicNames,
  used: readonly (keyof TopicNames)[],
  { cluster, registry }: { cluster: Cluster; registry: Registry },
): Promise<Inspection> => {
  const usedNames = used.map((role) => names[role]);
  const found = await cluster.find(usedNames);
  const problems = usedNames
    .filter((name) => !found.has(name))
    .map((name) => `Topic ${name} does not exist: ${SETUP}.`);
  if (used.includes("journal")) problems.push(...journalProblems(names, found));
  if (used.includes("commands")) problems.push(...deadLetterProblems(names, found));

  const schemaIds = new Map<RecordName, number>();
  for (const { name, schema } of topicPlans(names).filter((plan) => usedNames.includes(plan.name))) {
    if (schema === null) continue;
    const id = await registry.find(subjectOf(name), readSchema(schema));
    if (id === null) problems.push(`Schema ${subjectOf(name)} is not registered in this version: ${SETUP}.`);
    else schemaIds.set(schema, id);
  }
  return { schemaIds, problems, warnings: weaknesses(usedNames, found) };
};
