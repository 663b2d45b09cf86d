import { counted } from "../../runtime/counted.ts";
import { auditProblems, auditWarnings } from "./audit-topic.ts";
import type { Cluster, FoundTopic } from "./cluster.ts";
import { compaction } from "./compaction.ts";
import type { Registry } from "../schema/registry.ts";
import { readSchema, type RecordName } from "../schema/schemas.ts";
import { journalProblems, UNCLEAN } from "./journal-topic.ts";
import { shortRetention } from "./short-retention.ts";
import { sizeLimit } from "./size-limit.ts";
import {
  DEAD_LETTER_MARGIN_BYTES,
  subjectOf,
  topicPlans,
  type LargestRecord,
  type TopicNames,
} from "./topics.ts";

/** The check of topics and schemas before `serve` starts. Problems keep it from starting, warnings are only logged. */
export type Inspection = {
  schemaIds: ReadonlyMap<RecordName, number>;
  problems: readonly string[];
  warnings: readonly string[];
  /** Set when the events topic is retained for less time than the reconcile flow looks back; also in `warnings`. */
  retentionWarning: string | null;
  /** Nothing but schemas is missing: a registry that has just started may not know them yet. */
  mayPass: boolean;
};

const SETUP = "run `cambio-bridge setup`";
/** A journal that was deleted is not simply created again: an empty one has forgotten which quotes were accepted. */
const SETUP_OF_JOURNAL = `check first that it was never there (if it was, see "The journal is lost" in docs/failures.md), then ${SETUP}`;

/** max.message.bytes of a topic; null if unknown. */
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
        `Topic ${names.deadLetters} accepts no record as large as the largest of ${names.commands} with the headers of a dead letter: set max.message.bytes=${needed} or more.`,
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
          `Topic ${names[role]} accepts records of at most ${there} bytes, too few for ${setting}: set max.message.bytes=${bytes} or more, or lower the setting.`,
        ];
  });

/** Topics whose readers rely on one total order must have one partition. */
export const partitionCountProblems = (names: TopicNames, found: ReadonlyMap<string, FoundTopic>): string[] =>
  topicPlans(names).flatMap(({ name, partitions }) => {
    const there = found.get(name)?.partitions ?? 0;
    return partitions === undefined || there <= partitions
      ? []
      : [
          `Topic ${name} has ${there} partitions, so that the order of its entries is not known: delete it and ${SETUP}, which creates it with ${partitions}.`,
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

const tooFewReplicas = (names: readonly string[], found: ReadonlyMap<string, FoundTopic>): string[] =>
  names.flatMap((name) => {
    const { replicationFactor = 0, config = {} } = found.get(name) ?? {};
    const needed = Number(config["min.insync.replicas"] ?? 0);
    return !found.has(name) || needed <= replicationFactor
      ? []
      : [
          `Topic ${name} has ${counted(replicationFactor, "replica")}, and min.insync.replicas=${needed}, so that nothing can be written to it: set min.insync.replicas=${replicationFactor}, or add replicas.`,
        ];
  });

const allReplicasNeeded = (names: readonly string[], found: ReadonlyMap<string, FoundTopic>): string[] => {
  const strict = names.filter((name) => {
    const { replicationFactor = 0, config = {} } = found.get(name) ?? {};
    return replicationFactor > 1 && Number(config["min.insync.replicas"] ?? 0) === replicationFactor;
  });
  return strict.length === 0
    ? []
    : [
        `min.insync.replicas is the number of replicas: ${strict.join(", ")}. Losing one broker stops all writes there.`,
      ];
};

/** DescribeConfigs is a right of its own. */
const unreadableSettings = (names: readonly string[], found: ReadonlyMap<string, FoundTopic>): string[] => {
  const unreadable = names.filter((name) => {
    const topic = found.get(name);
    return topic !== undefined && Object.keys(topic.config).length === 0;
  });
  return unreadable.length === 0
    ? []
    : [
        `The settings of ${unreadable.join(", ")} may not be read, so compaction, retention and sizes were not checked: grant DescribeConfigs on the topics.`,
      ];
};

/** When the record of a pause is deleted, replicas that start later do not know of the pause. */
const controlWarnings = (control: FoundTopic | undefined): string[] => {
  const policy = control?.config["cleanup.policy"];
  const isKept = policy === undefined || (policy.includes("compact") && !policy.includes("delete"));
  return isKept
    ? []
    : [
        `Topic ${control?.name} deletes old records, so that a replica may start without knowing of a pause: set cleanup.policy=compact.`,
      ];
};

const DAY_MS = 86_400_000;

/** An event that was compacted away or deleted too early looks as if it had never been published. */
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
        ? `Topic ${name} does not keep events for a day longer than the reconcile flow looks back, so that older ones may be published again: set retention.ms=${days * DAY_MS} or more.`
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
  /** The largest records that the flows write to these topics. */
  largestRecords: readonly LargestRecord[];
  /** How far back the reconcile flow looks events up; null without that flow. */
  lookbackMs: number | null;
};

type TopicInspection = Omit<Inspection, "schemaIds" | "mayPass">;
type SchemaInspection = Pick<Inspection, "schemaIds" | "problems">;

/** Checks that topics exist and are configured as required. Rejects when Kafka does not answer. */
export const inspectTopics = async (
  { names, used, largestRecords, lookbackMs }: InspectOptions,
  cluster: Pick<Cluster, "find">,
): Promise<TopicInspection> => {
  const usedNames = used.map((role) => names[role]);
  const found = await cluster.find(usedNames);
  const problems = used
    .filter((role) => !found.has(names[role]))
    .map((role) => `Topic ${names[role]} does not exist: ${role === "journal" ? SETUP_OF_JOURNAL : SETUP}.`);
  if (used.includes("journal")) problems.push(...journalProblems(names, found));
  if (used.includes("commands")) problems.push(...deadLetterProblems(names, found));
  if (used.includes("deadLetters")) problems.push(...compaction("deadLetters", names, found));
  if (used.includes("audit")) problems.push(...auditProblems(names, found));
  problems.push(...tooFewReplicas(usedNames, found));
  problems.push(...recordSizeProblems(names, largestRecords, found), ...partitionCountProblems(names, found));
  const kept = lookbackMs === null ? null : eventRetention(found.get(names.transactionStatus), lookbackMs);
  if (kept?.problem) problems.push(kept.problem);
  const retentionWarning = kept?.warning ?? null;
  const compactedWarnings = (["commands", "results", "transactionStatus"] as const)
    .filter((role) => used.includes(role) && !(role === "transactionStatus" && kept?.problem))
    .flatMap((role) => compaction(role, names, found));
  const warnings = [
    ...(retentionWarning === null ? [] : [retentionWarning]),
    ...replicationWarnings(usedNames, found),
    ...unreadableSettings(usedNames, found),
    ...compactedWarnings,
    ...shortRetention(used, names, found),
    ...allReplicasNeeded(usedNames, found),
    ...(used.includes("control") ? controlWarnings(found.get(names.control)) : []),
    ...(used.includes("audit") ? auditWarnings(names, found) : []),
    ...used.filter((role) => role !== "journal").flatMap((role) => sizeLimit(role, names, found)),
    ...uncleanElectionWarnings(
      usedNames.filter((name) => name !== names.journal),
      found,
    ),
  ];
  return { problems, warnings, retentionWarning };
};

/** Checks that the schemas of topics are registered. Rejects when the registry does not answer. */
const inspectSchemas = async (
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

/** Checks topics and schemas. Rejects when Kafka or the registry does not answer. */
export const inspect = async (
  options: InspectOptions,
  { cluster, registry }: { cluster: Cluster; registry: Registry },
): Promise<Inspection> => {
  const ofTopics = await inspectTopics(options, cluster);
  const { schemaIds, problems } = await inspectSchemas(options, registry);
  const mayPass = ofTopics.problems.length === 0;
  return { ...ofTopics, schemaIds, mayPass, problems: [...ofTopics.problems, ...problems] };
};
