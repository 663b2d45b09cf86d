import { electionGroup } from "../log-to-events/wire/note.ts";
import { topicDemands, usedTopics } from "../kafka/wire/topic-demands.ts";
import type { Services } from "../kafka/wire/services.ts";
import type { Config } from "../config/config.ts";
import type { FoundTopic } from "../kafka/cluster/cluster.ts";
import { topicFindings } from "../kafka/cluster/inspect.ts";
import { connectRights, type Rights } from "../kafka/cluster/rights.ts";
import { topicPlans, type TopicRole, type TopicPlan } from "../kafka/cluster/topics.ts";
import { withCluster } from "../kafka/cluster/with-cluster.ts";
import { protocolErrorOf } from "../kafka/errors.ts";
import { messageOf } from "../runtime/errors.ts";
import { fail, ok, warn, type Check, type Doctor } from "./check.ts";

/** The topics to check: those of the flows, and those that people's commands always need. */
export const checkedPlans = (config: Config): readonly TopicPlan[] => {
  const roles: TopicRole[] = [...usedTopics(config), "audit", "control"];
  return topicPlans(config.topics).filter(({ role }) => roles.includes(role));
};

const ofTopic = async (rights: Rights, plan: TopicPlan): Promise<Check[]> => {
  const denied: string[] = [];
  for (const right of plan.rights) if (await rights.isTopicDenied(plan.name, right)) denied.push(right);
  return denied.map((right) =>
    fail(
      `topic ${plan.name}`,
      `this user may not ${right.toLowerCase()} the topic, or not see it`,
      `grant ${right} and Describe on it: "Rights in Kafka" in docs/security.md`,
    ),
  );
};

const ofGroup = async (rights: Rights, id: string, sessionTimeoutMs: number): Promise<Check[]> => {
  const name = `group ${id}`;
  try {
    const isDenied = await rights.isGroupDenied(id, sessionTimeoutMs);
    return isDenied ? [fail(name, "this user may not join the group", "grant Read on it")] : [];
  } catch (error) {
    if (!/^(INVALID_SESSION|INCONSISTENT_GROUP)/.test(protocolErrorOf(error))) throw error;
    const remedy = "see KAFKA_SESSION_TIMEOUT, and whether another program is in that group";
    return [fail(name, `no replica can join the group (${messageOf(error)})`, remedy)];
  }
};

/** Checks that `serve` may do what it does, by requests that change nothing. */
export const checkRights = async (
  { config, clock, signal }: Doctor,
  services: Services,
): Promise<readonly Check[]> => {
  const { groupId, sessionTimeoutMs } = config.kafka;
  const { flows } = config.bridge;
  const groups = [
    ...(flows.includes("commands") ? [groupId] : []),
    ...(flows.includes("reconcile") ? [electionGroup(config)] : []),
  ];
  const rights = await connectRights(services.newClient, clock);
  const checks: Check[] = [];
  const ask = async (name: string, question: Promise<Check[]>): Promise<void> => {
    const remedy = "run `cambio-bridge doctor` again";
    const answers = await question.catch((error: unknown) => [
      warn(name, `could not be checked (${messageOf(error)})`, remedy),
    ]);
    signal.throwIfAborted();
    checks.push(...answers);
  };
  try {
    for (const plan of checkedPlans(config)) await ask(`topic ${plan.name}`, ofTopic(rights, plan));
    for (const id of groups) await ask(`group ${id}`, ofGroup(rights, id, sessionTimeoutMs));
  } finally {
    void rights.close();
  }
  return checks.length > 0
    ? checks
    : [ok("rights", "reading, writing and joining groups is allowed as `serve` needs it")];
};

const numberList = (numbers: Iterable<number>): string =>
  [...new Set(numbers)].sort((a, b) => a - b).join(", ");

const partitionFaults = ({ name, config, states }: FoundTopic): Check[] => {
  const minInSync = Number(config["min.insync.replicas"] ?? 1);
  const stuck = states.filter(({ leader, inSync }) => leader < 0 || inSync.length < minInSync);
  if (stuck.length === 0) return [];
  const brokersAway = stuck.flatMap(({ replicas, inSync, leader }) =>
    replicas.filter((broker) => leader < 0 || !inSync.includes(broker)),
  );
  const detail =
    `partition ${numberList(stuck.map(({ partition }) => partition))} cannot be written: no broker leads it, ` +
    `or fewer replicas are in sync than min.insync.replicas=${minInSync}`;
  return [
    fail(`topic ${name}`, detail, `bring back the brokers that have copies (${numberList(brokersAway)})`),
  ];
};

export const checkTopics = ({ config }: Doctor, services: Services): Promise<readonly Check[]> =>
  withCluster(services, async (cluster) => {
    const used = checkedPlans(config).map(({ role }) => role);
    const topics = await cluster.find(used.map((role) => config.topics[role]));
    const faults = [...topics.values()].flatMap(partitionFaults);
    const kept = topicFindings({ ...topicDemands(config), used }, topics).map(
      ({ severity, topics: names, detail, remedy, isMissing }) => {
        const say = severity === "problem" ? fail : warn;
        return names.length > 1
          ? say("topics", `${names.join(", ")} ${detail}`, remedy)
          : say(`topic ${names[0]}`, detail, remedy, isMissing ? "topicMissing" : null);
      },
    );
    const checks = [...faults, ...kept];
    return checks.length > 0 ? checks : [ok("topics", `all ${used.length} are there and as they must be`)];
  });
