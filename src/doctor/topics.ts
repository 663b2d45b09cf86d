import { topicDemands } from "../kafka/wire/topic-demands.ts";
import type { Services } from "../kafka/wire/services.ts";
import { withCluster } from "../kafka/cluster/with-cluster.ts";
import type { Config } from "../config/config.ts";
import type { FoundTopic } from "../kafka/cluster/cluster.ts";
import { topicFindings } from "../kafka/cluster/inspect.ts";
import { fail, ok, warn, type Check } from "./check.ts";
import { checkedPlans } from "./rights.ts";

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

/** Checks that topics exist, can be used now, and are as the rules of `serve` say. */
export const checkTopics = (config: Config, services: Services): Promise<readonly Check[]> =>
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
