import type { Registry } from "../schema/registry.ts";
import { readSchema, type RecordName } from "../schema/schemas.ts";
import type { Cluster, FoundTopic } from "./cluster.ts";
import { journalRules, lookbackRule, surroundingsOf, topicRules } from "./topic-rules.ts";
import type { Severity, TopicDemands, TopicRule } from "./topic-rules.ts";
import { subjectOf, topicPlans, type TopicNames } from "./topics.ts";

/** What is wrong with topics. `detail` goes on after their names. `isMissing`: or this user may not see it. */
type Finding = {
  severity: Severity;
  topics: readonly string[];
  detail: string;
  remedy: string;
  isMissing?: boolean;
};

export type Inspection = Awaited<ReturnType<typeof inspect>>;

type FoundTopics = ReadonlyMap<string, FoundTopic>;

const sentenceOf = ({ topics, detail, remedy }: Finding): string =>
  `${topics.length > 1 ? "Topics" : "Topic"} ${topics.join(", ")} ${detail}: ${remedy}.`;

const findingsOf = (rule: TopicRule, demands: TopicDemands, found: FoundTopics): Finding[] => {
  const { severity, roles, isJoint, broken } = rule;
  const findings = demands.used
    .filter((role) => roles.includes(role))
    .flatMap((role): Finding[] => {
      const topic = found.get(demands.names[role]);
      const complaint = topic && broken(topic, surroundingsOf(role, demands, found));
      if (!complaint) return [];
      const [detail, remedy] = complaint;
      return [{ severity, topics: [topic.name], detail, remedy }];
    });
  const [first] = findings;
  return isJoint && first ? [{ ...first, topics: findings.flatMap(({ topics }) => topics) }] : findings;
};

const SETUP = "run `cambio-bridge setup`";
/** A journal that was deleted is not simply created again: an empty one has forgotten which quotes were accepted. */
const SETUP_OF_JOURNAL =
  `check first that it was never there (if it was, see "The journal is lost" in docs/failures.md), ` +
  `then ${SETUP}`;

export const topicFindings = (demands: TopicDemands, found: FoundTopics): Finding[] => [
  ...demands.used
    .filter((role) => !found.has(demands.names[role]))
    .map((role): Finding => {
      const remedy = role === "journal" ? SETUP_OF_JOURNAL : SETUP;
      const topics = [demands.names[role]];
      return { severity: "problem", topics, detail: "does not exist", remedy, isMissing: true };
    }),
  ...topicRules.flatMap((rule) => findingsOf(rule, demands, found)),
];

export const journalProblems = (names: TopicNames, found: FoundTopics): string[] =>
  journalRules
    .flatMap((rule) =>
      findingsOf(rule, { names, used: ["journal"], largestRecords: [], lookbackMs: null }, found),
    )
    .map(sentenceOf);

/** Checks topics and schemas before `serve` starts. Rejects when Kafka or the registry does not answer. */
export const inspect = async (
  demands: TopicDemands,
  { cluster, registry }: { cluster: Pick<Cluster, "find">; registry: Pick<Registry, "find"> },
) => {
  const { names, used } = demands;
  const found = await cluster.find(used.map((role) => names[role]));
  const findings = topicFindings(demands, found);
  const { problem = [], warning = [] } = Object.groupBy(findings, ({ severity }) => severity);
  const schemaIds = new Map<RecordName, number>();
  const unregistered: string[] = [];
  for (const { role, name, schema } of topicPlans(names)) {
    if (schema === null || !used.includes(role)) continue;
    const id = await registry.find(subjectOf(name), readSchema(schema));
    if (id === null)
      unregistered.push(`Schema ${subjectOf(name)} is not registered in this version: ${SETUP}.`);
    else schemaIds.set(schema, id);
  }
  const [retentionWarning = null] = findingsOf(lookbackRule, demands, found).map(sentenceOf);
  return {
    schemaIdOf: (record: RecordName): number => {
      const id = schemaIds.get(record);
      if (id === undefined)
        throw new TypeError(`the schema ${record} belongs to no topic that was inspected`);
      return id;
    },
    problems: [...problem.map(sentenceOf), ...unregistered],
    warnings: warning.map(sentenceOf),
    /** Set when events are kept for less time than the reconcile flow looks back; also in `warnings`. */
    retentionWarning,
    /** Nothing but schemas is missing: a registry that has just started may not know them yet. */
    mayPass: problem.length === 0,
  };
};
