import type { Cluster, FoundTopic } from "./cluster.ts";
import type { Registry } from "../schema/registry.ts";
import { readSchema, type RecordName } from "../schema/schemas.ts";
import {
  DEAD_LETTER_MARGIN_BYTES,
  subjectOf,
  topicPlans,
  type LargestRecord,
  type TopicNames,
} from "./topics.ts";

/** What `serve` finds before it starts: ids to write with, what keeps it from starting, and what it only says. */
export type Inspection = {
  schemaIds: ReadonlyMap<RecordName, number>;
  problems: readonly string[];
  warnings: readonly string[];
  /** Says that events may be gone that are younger than what is looked up; null where they are not. Among the warnings. */
  retentionWarning: string | null;
};

const UNCLEAN = "unclean.leader.election.enable";
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
  if (journal[UNCLEAN] === "true") {
    problems.push(
      `Topic ${names.journal} may get a leader that lacks its last entries, which forgets accepts: set ${UNCLEAN}=false.`,
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

/** What the largest record takes up that a topic lets in, where that may be known. */
const maxMessageBytesOf = (topic: FoundTopic | undefined): number | null => {
  const bytes = topic?.config["max.message.bytes"];
  return bytes === undefined ? null : Number(bytes);
};

const deadLetterProblems = (names: TopicNames, found: ReadonlyMap<string, FoundTopic>): string[] => {
  const there = maxMessageBytesOf(found.get(names.deadLetters)) ?? Infinity;
  const needed = (maxMessageBytesOf(found.get(names.commands)) ?? 0) + DEAD_LETTER_MARGIN_BYTES;
  return there >= needed
    ? []
    : [
        `Topic ${names.deadLetters} takes no record as large as the largest of ${names.commands} and what a dead letter adds to it: set max.message.bytes=${needed} or more.`,
      ];
};

const recordSizeProblems = (
  names: TopicNames,
  largestRecords: readonly LargestRecord[],
  found: ReadonlyMap<string, FoundTopic>,
): string[] =>
  largestRecords.flatMap(({ role, bytes, setting }) => {
    const there = maxMessageBytesOf(found.get(names[role])) ?? Infinity;
    return there >= bytes
      ? []
      : [
          `Topic ${names[role]} takes records of ${there} bytes at most, too few for ${setting}: set max.message.bytes=${bytes} or more, or lower the setting.`,
        ];
  });

/** Whoever reads such a topic goes by one order of all that stands there. */
export const partitionCountProblems = (names: TopicNames, found: ReadonlyMap<string, FoundTopic>): string[] =>
  topicPlans(names).flatMap(({ name, partitions }) => {
    const there = found.get(name)?.partitions ?? 0;
    return partitions === undefined || there <= partitions
      ? []
      : [
          `Topic ${name} has ${there} partitions, so that nobody can tell which of its entries was first: delete it and ${SETUP}, which makes it with ${partitions}.`,
        ];
  });

const replicationWarnings = (names: readonly string[], found: ReadonlyMap<string, FoundTopic>): string[] => {
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

/** What was compacted away has no answer, and a log with holes where it was read looks like another log. */
const commandsWarnings = (commands: FoundTopic | undefined): string[] =>
  commands?.config["cleanup.policy"]?.includes("compact")
    ? [`Topic ${commands.name} is compacted, which drops commands of one key: set cleanup.policy=delete.`]
    : [];

/** What is deleted there after a while is a pause that replicas which start later know nothing of. */
const controlWarnings = (control: FoundTopic | undefined): string[] => {
  const policy = control?.config["cleanup.policy"];
  const isKept = policy === undefined || (policy.includes("compact") && !policy.includes("delete"));
  return isKept
    ? []
    : [
        `Topic ${control?.name} does not keep what is paused for ever, so that a replica that starts may not know: set cleanup.policy=compact.`,
      ];
};

const DAY_MS = 86_400_000;

/** What is compacted away, or deleted too early, looks as if it had never been published. */
const eventRetention = (
  events: FoundTopic | undefined,
  lookbackMs: number,
): { problem: string | null; warning: string | null } => {
  const { name = "", config = {} } = events ?? {};
  const kept = Number(config["retention.ms"] ?? -1);
  const days = Math.ceil(lookbackMs / DAY_MS) + 1;
  return {
    problem: config["cleanup.policy"]?.includes("compact")
      ? `Topic ${name} is compacted, so that the reconcile flow would publish statuses again: set cleanup.policy=delete, or leave reconcile out of FLOWS.`
      : null,
    warning:
      kept >= 0 && kept < days * DAY_MS
        ? `Topic ${name} does not keep events for as long as the partner's log is looked back, and a day more, so that older ones may be published again: set retention.ms=${days * DAY_MS} or more.`
        : null,
  };
};

const uncleanElectionWarnings = (
  names: readonly string[],
  found: ReadonlyMap<string, FoundTopic>,
): string[] => {
  const unclean = names.filter((name) => found.get(name)?.config[UNCLEAN] === "true");
  return unclean.length === 0
    ? []
    : [
        `${UNCLEAN}=true: ${unclean.join(", ")}. A leader that lacks acknowledged records can be elected there.`,
      ];
};

export type InspectOptions = {
  names: TopicNames;
  used: readonly (keyof TopicNames)[];
  /** What is to be written to the topics that are used. */
  largestRecords: readonly LargestRecord[];
  /** How far back events are looked up; null where nobody does. */
  lookbackMs: number | null;
};

type TopicInspection = Omit<Inspection, "schemaIds">;
type SchemaInspection = Pick<Inspection, "schemaIds" | "problems">;

/** Looks whether topics are there and as they must be. Rejects when Kafka cannot be asked. */
export const inspectTopics = async (
  { names, used, largestRecords, lookbackMs }: InspectOptions,
  cluster: Pick<Cluster, "find">,
): Promise<TopicInspection> => {
  const usedNames = used.map((role) => names[role]);
  const found = await cluster.find(usedNames);
  const problems = usedNames
    .filter((name) => !found.has(name))
    .map((name) => `Topic ${name} does not exist: ${SETUP}.`);
  if (used.includes("journal")) problems.push(...journalProblems(names, found));
  if (used.includes("commands")) problems.push(...deadLetterProblems(names, found));
  problems.push(...recordSizeProblems(names, largestRecords, found), ...partitionCountProblems(names, found));
  const kept = lookbackMs === null ? null : eventRetention(found.get(names.transactionStatus), lookbackMs);
  if (kept?.problem) problems.push(kept.problem);
  const retentionWarning = kept?.warning ?? null;
  const warnings = [
    ...(retentionWarning === null ? [] : [retentionWarning]),
    ...replicationWarnings(usedNames, found),
    ...(used.includes("commands") ? commandsWarnings(found.get(names.commands)) : []),
    ...(used.includes("control") ? controlWarnings(found.get(names.control)) : []),
    ...uncleanElectionWarnings(
      usedNames.filter((name) => name !== names.journal),
      found,
    ),
  ];
  return { problems, warnings, retentionWarning };
};

/** Looks whether the schemas of topics are registered. Rejects when the registry cannot be asked. */
export const inspectSchemas = async (
  { names, used }: Pick<InspectOptions, "names" | "used">,
  registry: Pick<Registry, "find">,
): Promise<SchemaInspection> => {
  const problems: string[] = [];
  const usedNames = used.map((role) => names[role]);
  const schemaIds = new Map<RecordName, number>();
  for (const { name, schema } of topicPlans(names).filter((plan) => usedNames.includes(plan.name))) {
    if (schema === null) continue;
    const id = await registry.find(subjectOf(name), readSchema(schema));
    if (id === null) problems.push(`Schema ${subjectOf(name)} is not registered in this version: ${SETUP}.`);
    else schemaIds.set(schema, id);
  }
  return { schemaIds, problems };
};

/** Looks whether topics and schemas are there and as they must be. Rejects when Kafka or the registry cannot be asked. */
export const inspect = async (
  options: InspectOptions,
  { cluster, registry }: { cluster: Cluster; registry: Registry },
): Promise<Inspection> => {
  const ofTopics = await inspectTopics(options, cluster);
  const { schemaIds, problems } = await inspectSchemas(options, registry);
  return { ...ofTopics, schemaIds, problems: [...ofTopics.problems, ...problems] };
};
