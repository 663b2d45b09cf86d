import { topicDemands } from "../bridge/prerequisites.ts";
import type { Services } from "../services/services.ts";
import type { Config } from "../config/config.ts";
import type { Cluster, FoundTopic, PartitionState } from "../kafka/cluster/cluster.ts";
import { askCoordinator } from "../kafka/cluster/found-group.ts";
import { topicFindings } from "../kafka/cluster/inspect.ts";
import { droppedText, journalIdentity } from "../kafka/cluster/log-identity.ts";
import { counted } from "../runtime/counted.ts";
import { messageOf } from "../runtime/errors.ts";
import { fail, ok, warn, type Bounds, type Check } from "./check.ts";
import { checkedRoles } from "./rights.ts";

/** The other checks of topics must not wait for a coordinator that is not there. */
const COMPARE_MS = 4_000;

/**
 * Compares the journal with the notes that the replicas left beside the group's offsets, as `serve` does at its start.
 * Only what can be told without reading the journal.
 */
const journalFault = async ({ topics, kafka }: Config, { clock }: Services, cluster: Cluster) => {
  const identity = journalIdentity(clock);
  const committed = await askCoordinator(clock, () => cluster.committed(kafka.groupId, topics.commands));
  for (const { note } of committed.values()) identity.recall(note);
  const lasts = identity.lasts();
  const ranges = await cluster.ranges(topics.journal);
  const dropped = identity.dropped(ranges);
  return identity.missing(ranges, lasts) ?? (dropped && droppedText(dropped));
};

const checkJournal = async (config: Config, services: Services, cluster: Cluster): Promise<Check[]> => {
  const name = `topic ${config.topics.journal}`;
  const { groupId } = config.kafka;
  try {
    const asked = journalFault(config, services, cluster);
    const fault = await services.clock.within(COMPARE_MS, undefined, asked);
    if (fault === null) return [];
    const detail = `is not the journal that the group ${groupId} has used: it ${fault}`;
    return [
      fail(name, detail, 'start and restart nothing: do what "The journal is lost" in docs/failures.md says'),
    ];
  } catch (error) {
    const detail = `could not be compared with what the group ${groupId} knows of it (${messageOf(error)})`;
    return [warn(name, detail, "run `cambio-bridge doctor` again")];
  }
};

const listed = (numbers: Iterable<number>): string => [...new Set(numbers)].sort((a, b) => a - b).join(", ");

/** The brokers whose copies are not in sync. */
const behind = (states: readonly PartitionState[]): number[] =>
  states.flatMap(({ replicas, inSync }) => replicas.filter((broker) => !inSync.includes(broker)));

/** What a topic's partitions lack now: leaders, and replicas in sync. */
const partitionFaults = ({ name, config }: FoundTopic, states: readonly PartitionState[]): Check[] => {
  const leaderless = states.filter(({ leader }) => leader < 0);
  const needed = Number(config["min.insync.replicas"] ?? 1);
  const short = states.filter(({ leader, inSync }) => leader >= 0 && inSync.length < needed);
  const checks: Check[] = [];
  if (leaderless.length > 0)
    checks.push(
      fail(
        `topic ${name}`,
        `no broker leads partition ${listed(leaderless.map(({ partition }) => partition))}: it can be neither read nor written, and nobody can take commands`,
        `bring back the brokers that have copies (${listed(leaderless.flatMap(({ replicas }) => replicas))})`,
      ),
    );
  if (short.length > 0)
    checks.push(
      fail(
        `topic ${name}`,
        `${counted(short.length, "partition")} with fewer replicas in sync than min.insync.replicas=${needed}: nothing can be written there`,
        `bring back the brokers that are behind (${listed(behind(short))})`,
      ),
    );
  return checks;
};

const checkPartitions = async (
  found: ReadonlyMap<string, FoundTopic>,
  cluster: Cluster,
): Promise<Check[]> => {
  const partitions = await cluster.partitions([...found.keys()]);
  const checks = [...found.values()].flatMap((topic) =>
    partitionFaults(topic, partitions.get(topic.name) ?? []),
  );
  const late = [...partitions.values()].flat().filter((state) => behind([state]).length > 0);
  if (checks.length > 0 || late.length === 0) return checks;
  return [
    warn(
      "replicas",
      `${counted(late.length, "partition")} have replicas that are not in sync: another lost broker may stop them`,
      `bring back the brokers that are behind (${listed(behind(late))})`,
    ),
  ];
};

/** Checks that topics exist, can be used now, and are as the rules of `serve` say. */
export const checkTopics = async (
  config: Config,
  services: Services,
  { clock, signal }: Bounds,
): Promise<Check[]> => {
  const { topics } = config;
  const cluster = await clock.within(6_000, signal, services.connectCluster());
  try {
    const used = checkedRoles(config);
    const found = await cluster.find(used.map((role) => topics[role]));
    const hasBoth = found.has(topics.journal) && found.has(topics.commands);
    const ofRules = topicFindings({ ...topicDemands(config), used }, found).map(
      ({ severity, topics: names, detail, remedy }) => {
        const say = severity === "problem" ? fail : warn;
        return names.length > 1
          ? say("topics", `${names.join(", ")} ${detail}`, remedy)
          : say(`topic ${names[0]}`, detail, remedy);
      },
    );
    const checks = [
      ...(hasBoth ? await checkJournal(config, services, cluster) : []),
      ...(await checkPartitions(found, cluster)),
      ...ofRules,
    ];
    return checks.length > 0 ? checks : [ok("topics", `all ${used.length} are there and as they must be`)];
  } finally {
    void cluster.close();
  }
};
