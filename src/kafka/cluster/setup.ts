import { counted } from "../../runtime/counted.ts";
import { messageOf, UsageError } from "../../runtime/errors.ts";
import { protocolErrorOf } from "../errors.ts";
import type { Cluster } from "./cluster.ts";
import { RegistryError } from "../schema/registry-http.ts";
import type { Registry } from "../schema/registry.ts";
import { readSchema } from "../schema/schemas.ts";
import { DEAD_LETTER_MARGIN_BYTES, subjectOf, topicPlans } from "./topics.ts";
import type { TopicNames, TopicPlan } from "./topics.ts";

export type SetupOptions = {
  names: TopicNames;
  partitions: number;
  /** -1 for the broker's default. */
  replicationFactor: number;
  dryRun: boolean;
};

type Brokers = Pick<Cluster, "find" | "create" | "defaultReplicationFactor">;
export type SetupPorts = {
  cluster: Brokers;
  registry: Omit<Registry, "writer">;
  say: (line: string) => void;
  stopped?: AbortSignal;
};

/** Where there are three replicas, a record must be on two. Where there is one, brokers must not ask for more. */
const insyncOf = (replicas: number): Record<string, string> =>
  replicas === 2 ? {} : { "min.insync.replicas": replicas > 2 ? "2" : "1" };

/** A dead letter of the largest possible command must fit. No setting allows larger records than brokers' defaults. */
const deadLetterConfig = async ({ config }: TopicPlan, { commands }: TopicNames, cluster: Brokers) => {
  // Looked up now: the commands topic may have just been created with the brokers' default.
  const commandsConfig = (await cluster.find([commands])).get(commands)?.config;
  const needed = Number(commandsConfig?.["max.message.bytes"] ?? 0) + DEAD_LETTER_MARGIN_BYTES;
  const bytes = Math.max(needed, Number(config["max.message.bytes"]));
  return { ...config, "max.message.bytes": String(bytes) };
};

/** How many replicas new topics get. Without that number nothing is created: it decides on min.insync.replicas. */
const replicasOf = async ({ replicationFactor }: SetupOptions, cluster: Brokers): Promise<number> => {
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

/** Statuses by which a registry refuses a schema. After a 401 the next request may have a newer token. */
const REFUSAL_STATUSES: readonly (number | null)[] = [403, 409, 422];
/** kafkajs's names for an error that Kafka does not name, and for a code that kafkajs does not know. */
const UNNAMED: readonly unknown[] = ["UNKNOWN", "KAFKAJS_UNKNOWN_ERROR_CODE"];

/** Whether a broker or the registry has answered, and would answer the same request in the same way. */
const isFinal = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  if (error instanceof UsageError) return true;
  if (error instanceof RegistryError) return REFUSAL_STATUSES.includes(error.status);
  // kafkajs knows of each code of the protocol whether a later request may succeed.
  if ("retriable" in error && "type" in error)
    return error.retriable === false && !UNNAMED.includes(error.type);
  return isFinal(error.cause);
};

type Attempt = (what: string, step: () => Promise<void>, remedy?: string) => Promise<void>;

/** Adds a sentence to `refusals` for a step that is refused for good, so that the other steps are tried as well. */
const attemptWith =
  (refusals: string[]): Attempt =>
  async (what, step, remedy) => {
    try {
      await step();
    } catch (error) {
      if (!isFinal(error)) throw error;
      const advice = remedy ?? REMEDIES[protocolErrorOf(error)] ?? OTHER_REMEDY;
      refusals.push(`${what}: ${messageOf(error).replace(/\.$/, "")}: ${advice}.`);
    }
  };

const setUpTopics = async (options: SetupOptions, ports: SetupPorts, attempt: Attempt): Promise<void> => {
  const { names, replicationFactor, dryRun } = options;
  const { cluster, say, stopped } = ports;
  const plans = topicPlans(names);
  const found = await cluster.find(plans.map(({ name }) => name));
  const isComplete = plans.every(({ name }) => found.has(name));
  const replicas = isComplete ? 0 : await replicasOf(options, cluster);
  const insync = insyncOf(replicas);
  for (const plan of plans) {
    stopped?.throwIfAborted();
    const { name, partitions = options.partitions } = plan;
    const existing = found.get(name);
    if (existing) {
      say(`topic ${name}: already there, ${extentText(existing.partitions, existing.replicationFactor)}`);
      continue;
    }
    if (name === names.journal && found.size > 0) say(journalCaution(name));
    const planned = plan.role === "deadLetters" ? await deadLetterConfig(plan, names, cluster) : plan.config;
    const topic = { name, partitions, replicationFactor, config: { ...planned, ...insync } };
    const settings = Object.entries(insync).map((setting) => setting.join("="));
    const what = [extentText(partitions, replicas), ...settings].join(", ");
    await attempt(`Topic ${name} cannot be created with ${what}`, async () => {
      await cluster.create(topic, dryRun);
      say(`topic ${name}: ${dryRun ? "would be created" : "created"}, ${what}`);
    });
  }
};

const REGISTRY_REMEDY = "see what the registry allows this user, and the subject's compatibility level";

const setUpSchemas = async (options: SetupOptions, ports: SetupPorts, attempt: Attempt): Promise<void> => {
  const { registry, say, stopped } = ports;
  for (const { name, schema } of topicPlans(options.names)) {
    if (schema === null) continue;
    stopped?.throwIfAborted();
    const subject = subjectOf(name);
    const ours = readSchema(schema);
    const register = async (): Promise<string> => {
      const id = await registry.find(subject, ours);
      if (id !== null) return `already registered, id ${id}`;
      const obstacle = await registry.incompatibility(subject, ours);
      if (obstacle !== null) throw new UsageError(obstacle);
      if (options.dryRun) return "would be registered";
      return `registered, id ${await registry.register(subject, ours)}`;
    };
    const refusal = `Schema ${subject} cannot be registered`;
    await attempt(refusal, async () => say(`schema ${subject}: ${await register()}`), REGISTRY_REMEDY);
  }
};

/** Creates what is missing. @throws UsageError with a sentence for each refusal, or with a cause if nobody answers */
export const setUp = async (options: SetupOptions, ports: SetupPorts): Promise<void> => {
  const refusals: string[] = [];
  try {
    await setUpTopics(options, ports, attemptWith(refusals));
    await setUpSchemas(options, ports, attemptWith(refusals));
  } catch (cause) {
    const message = `Setup did not finish: ${messageOf(cause)}. It can be run again.`;
    const error = cause instanceof UsageError ? cause : new UsageError(message, { cause });
    if (refusals.length === 0) throw error;
    refusals.push(error.message);
  }
  if (refusals.length > 0) throw new UsageError(refusals.join("\n"));
};
