import { counted } from "../../runtime/counted.ts";
import { messageOf, UsageError } from "../../runtime/errors.ts";
import { protocolErrorOf } from "../errors.ts";
import { isFinal } from "../final.ts";
import type { Cluster } from "./cluster.ts";
import type { Registry } from "../schema/registry.ts";
import { readSchema, type RecordName } from "../schema/schemas.ts";
import {
  DEAD_LETTER_MARGIN_BYTES,
  DEFAULT_MAX_MESSAGE_BYTES,
  subjectOf,
  topicPlans,
  type LargestRecord,
  type TopicNames,
  type TopicPlan,
} from "./topics.ts";

export type SetupOptions = {
  names: TopicNames;
  partitions: number;
  /** -1 for the broker's default. */
  replicationFactor: number;
  largestRecords: readonly LargestRecord[];
  dryRun: boolean;
};

type Ports = {
  cluster: Cluster;
  registry: Registry;
  say: (line: string) => void;
  stopped?: AbortSignal;
};

/** Three replicas or more: an acknowledged record must be on two. One: the brokers' default must not ask for more. */
const insyncOf = (replicas: number): Record<string, string> =>
  replicas === 2 ? {} : { "min.insync.replicas": replicas > 2 ? "2" : "1" };

/** The largest records that the settings allow must fit, and a dead letter of the largest possible command. */
const withMaxMessageBytes = async (
  { name, config }: TopicPlan,
  { names, largestRecords }: SetupOptions,
  cluster: Cluster,
): Promise<TopicPlan["config"]> => {
  const needed = largestRecords.filter(({ role }) => names[role] === name).map(({ bytes }) => bytes);
  if (name === names.deadLetters) {
    // Looked up now: the commands topic may have just been created with the brokers' default.
    const commands = (await cluster.find([names.commands])).get(names.commands);
    needed.push(Number(commands?.config["max.message.bytes"] ?? 0) + DEAD_LETTER_MARGIN_BYTES);
  }
  const planned = Number(config["max.message.bytes"] ?? DEFAULT_MAX_MESSAGE_BYTES);
  const bytes = Math.max(...needed, planned);
  return bytes > planned ? { ...config, "max.message.bytes": String(bytes) } : config;
};

/** How many replicas new topics get. Without that number nothing is created: it decides on min.insync.replicas. */
const replicasOf = async ({ replicationFactor }: SetupOptions, cluster: Cluster): Promise<number> => {
  const replicas = replicationFactor > 0 ? replicationFactor : await cluster.defaultReplicationFactor();
  if (replicas === null)
    throw new UsageError(
      "The brokers' default.replication.factor cannot be read, so that it is not known whether new topics " +
        "need min.insync.replicas=2: set TOPIC_REPLICATION_FACTOR, or grant DescribeConfigs on the cluster.",
    );
  return replicas;
};

const extentText = (partitions: number, replicas: number): string =>
  `${counted(partitions, "partition")}, ${counted(replicas, "replica")}`;

/** An empty journal has forgotten which quotes were accepted; a new bridge mostly has none of its topics. */
const journalCaution = (journal: string): string =>
  `Caution: topic ${journal} is missing, and others are there. If this bridge has run before, its ` +
  `journal is lost: before any replica with commands starts, do what "The journal is lost" in ` +
  "docs/failures.md says.";

/** What to do about a refusal, by its code. The cluster may have rules of its own for topics (POLICY_VIOLATION). */
const REMEDIES: Readonly<Record<string, string>> = {
  INVALID_REPLICATION_FACTOR: "set TOPIC_REPLICATION_FACTOR to what the cluster has",
  INVALID_PARTITIONS: "set TOPIC_PARTITIONS",
  TOPIC_AUTHORIZATION_FAILED: "this user needs the right Create on the topic, see docs/security.md",
};
const OTHER_REMEDY = "ask those who run the cluster, or have them create it as docs/setup.md says";

/**
 * Runs the steps one after the other, also those after one that is refused for good.
 * @throws UsageError without a cause, with a sentence for each step that is refused for good
 */
const eachStep = async <T>(items: readonly T[], step: (item: T) => Promise<void>): Promise<void> => {
  const refusals: string[] = [];
  for (const item of items)
    await step(item).catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      refusals.push(error.message);
    });
  if (refusals.length > 0) throw new UsageError(refusals.join("\n"));
};

/** Turns what is refused for good into a UsageError. */
const orRefused = <T>(what: string, asking: Promise<T>, remedy?: string): Promise<T> =>
  asking.catch((error: unknown) => {
    if (!isFinal(error)) throw error;
    const advice = remedy ?? REMEDIES[protocolErrorOf(error)] ?? OTHER_REMEDY;
    throw new UsageError(`${what}: ${messageOf(error).replace(/\.$/, "")}: ${advice}.`);
  });

const setUpTopics = async (options: SetupOptions, { cluster, say, stopped }: Ports): Promise<void> => {
  const plans = topicPlans(options.names);
  const found = await cluster.find(plans.map(({ name }) => name));
  const isComplete = plans.every(({ name }) => found.has(name));
  const replicas = isComplete ? 0 : await replicasOf(options, cluster);
  await eachStep(plans, async (plan) => {
    stopped?.throwIfAborted();
    if (plan.name === options.names.journal && !found.has(plan.name) && found.size > 0)
      say(journalCaution(plan.name));
    const there = found.get(plan.name);
    if (there) {
      say(`topic ${plan.name}: already there, ${extentText(there.partitions, there.replicationFactor)}`);
      return;
    }
    const insync = insyncOf(replicas);
    const config = { ...(await withMaxMessageBytes(plan, options, cluster)), ...insync };
    const { partitions = options.partitions } = plan;
    const settings = Object.entries(insync).map(([name, value]) => `${name}=${value}`);
    const what = [extentText(partitions, replicas), ...settings].join(", ");
    const { replicationFactor, dryRun } = options;
    const topic = { name: plan.name, partitions, replicationFactor, config };
    await orRefused(`Topic ${plan.name} cannot be created with ${what}`, cluster.create(topic, dryRun));
    say(`topic ${plan.name}: ${dryRun ? "would be created" : "created"}, ${what}`);
  });
};

const setUpSchema = async (
  subject: string,
  schema: RecordName,
  { dryRun }: SetupOptions,
  { registry }: Ports,
): Promise<string> => {
  const ours = readSchema(schema);
  const id = await registry.find(subject, ours);
  if (id !== null) return `already registered, id ${id}`;
  const obstacle = await registry.incompatibility(subject, ours);
  if (obstacle !== null) throw new UsageError(`Schema ${subject} cannot be registered: ${obstacle}.`);
  return dryRun ? "would be registered" : `registered, id ${await registry.register(subject, ours)}`;
};

const REGISTRY_REMEDY = "see what the registry allows this user, and the subject's compatibility level";

const setUpSchemas = (options: SetupOptions, ports: Ports): Promise<void> =>
  eachStep(topicPlans(options.names), async ({ name, schema }) => {
    if (schema === null) return;
    ports.stopped?.throwIfAborted();
    const subject = subjectOf(name);
    const step = setUpSchema(subject, schema, options, ports);
    ports.say(
      `schema ${subject}: ${await orRefused(`Schema ${subject} cannot be registered`, step, REGISTRY_REMEDY)}`,
    );
  });

/**
 * Creates missing topics and registers missing schemas. Idempotent.
 * @throws UsageError when the cluster or the registry refuses, with a sentence for each topic or schema; with a cause
 * when they do not answer, or when it is stopped: each topic and schema before that was said
 */
export const setUp = async (options: SetupOptions, ports: Ports): Promise<void> => {
  try {
    await setUpTopics(options, ports);
    await setUpSchemas(options, ports);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`Setup did not finish: ${messageOf(error)}. It can be run again.`, { cause: error });
  }
};
