import type { Registry } from "../schema/registry.ts";
import { readSchema, type RecordName } from "../schema/schemas.ts";
import type { Cluster, FoundTopic } from "./cluster.ts";
import {
  topicFacts,
  journalRules,
  lookbackRule,
  orderRule,
  topicRules,
  type TopicRule,
  type Severity,
  type TopicDemands,
} from "./topic-rules.ts";
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

type Found = ReadonlyMap<string, FoundTopic>;

const sentenceOf = ({ topics, detail, remedy }: Omit<Finding, "severity">): string =>
  `${topics.length > 1 ? "Topics" : "Topic"} ${topics.join(", ")} ${detail}: ${remedy}.`;

/** What a rule says of the topics that exist. */
const applied = (
  { severity, roles, broken, together }: TopicRule,
  demands: TopicDemands,
  found: Found,
): Finding[] => {
  const findings: Finding[] = [];
  for (const role of demands.used.filter((one) => roles.includes(one))) {
    const topic = found.get(demands.names[role]);
    const complaint = topic && broken(topicFacts({ role, topic }, demands, found));
    if (!topic || !complaint) continue;
    const others = together ? findings.pop()?.topics : undefined;
    findings.push({
      severity,
      topics: [...(others ?? []), topic.name],
      detail: complaint[0],
      remedy: complaint[1],
    });
  }
  return findings;
};

const SETUP = "run `cambio-bridge setup`";
/** A journal that was deleted is not simply created again: an empty one has forgotten which quotes were accepted. */
const SETUP_OF_JOURNAL =
  `check first that it was never there (if it was, see "The journal is lost" in docs/failures.md), ` +
  `then ${SETUP}`;

export const topicFindings = (demands: TopicDemands, found: Found): Finding[] => [
  ...demands.used
    .filter((role) => !found.has(demands.names[role]))
    .map((role): Finding => {
      const remedy = role === "journal" ? SETUP_OF_JOURNAL : SETUP;
      const topics = [demands.names[role]];
      return { severity: "problem", topics, detail: "does not exist", remedy, isMissing: true };
    }),
  ...topicRules.flatMap((rule) => applied(rule, demands, found)),
];

const sentencesOf = (rules: readonly TopicRule[], names: TopicNames, found: Found): string[] =>
  rules
    .flatMap((rule) =>
      applied(rule, { names, used: rule.roles, largestRecords: [], lookbackMs: null }, found),
    )
    .map(sentenceOf);

/** Why the journal may forget an accept. */
export const journalProblems = (names: TopicNames, found: Found): string[] =>
  sentencesOf(journalRules, names, found);
/** Why the order of entries is not known, of the topics whose readers rely on it. */
export const orderProblems = (names: TopicNames, found: Found): string[] =>
  sentencesOf([orderRule], names, found);

/**
 * Checks topics and schemas before `serve` starts. Problems keep it from starting, warnings are only logged. Rejects
 * when Kafka or the registry does not answer.
 */
export const inspect = async (
  demands: TopicDemands,
  { cluster, registry }: { cluster: Pick<Cluster, "find">; registry: Pick<Registry, "find"> },
) => {
  const { names, used } = demands;
  const found = await cluster.find(used.map((role) => names[role]));
  const findings = topicFindings(demands, found);
  const ofSeverity = (wanted: Severity): string[] =>
    findings.filter(({ severity }) => severity === wanted).map(sentenceOf);
  const problems = ofSeverity("problem");
  const mayPass = problems.length === 0;
  const schemaIds = new Map<RecordName, number>();
  for (const { role, name, schema } of topicPlans(names)) {
    if (schema === null || !used.includes(role)) continue;
    const id = await registry.find(subjectOf(name), readSchema(schema));
    if (id === null) problems.push(`Schema ${subjectOf(name)} is not registered in this version: ${SETUP}.`);
    else schemaIds.set(schema, id);
  }
  const [retentionWarning = null] = applied(lookbackRule, demands, found).map(sentenceOf);
  return {
    schemaIdOf: (record: RecordName): number => {
      const id = schemaIds.get(record);
      if (id === undefined)
        throw new TypeError(`the schema ${record} belongs to no topic that was inspected`);
      return id;
    },
    problems,
    warnings: ofSeverity("warning"),
    /** Set when events are kept for less time than the reconcile flow looks back; also in `warnings`. */
    retentionWarning,
    /** Nothing but schemas is missing: a registry that has just started may not know them yet. */
    mayPass,
  };
};
