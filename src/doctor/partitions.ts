import type { FoundTopic, PartitionState } from "../kafka/cluster/cluster.ts";
import { counted } from "../runtime/counted.ts";
import { fail, warn, type Check } from "./check.ts";

const listed = (numbers: Iterable<number>): string => [...new Set(numbers)].sort((a, b) => a - b).join(", ");

/** The brokers whose copies are not in sync. */
const behind = (states: readonly PartitionState[]): number[] =>
  states.flatMap(({ replicas, inSync }) => replicas.filter((broker) => !inSync.includes(broker)));

const ofTopic = ({ name, config }: FoundTopic, states: readonly PartitionState[]): Check[] => {
  const leaderless = states.filter(({ leader }) => leader < 0);
  const needed = Number(config["min.insync.replicas"] ?? 1);
  const short = states.filter(({ leader, inSync }) => leader >= 0 && inSync.length < needed);
  const copies = leaderless.flatMap(({ replicas }) => replicas);
  return [
    ...(leaderless.length > 0
      ? [
          fail(
            `topic ${name}`,
            `no broker leads partition ${listed(leaderless.map(({ partition }) => partition))}: it can be neither read nor written, and nobody can take commands`,
            `bring back the brokers that have copies (${listed(copies)})`,
          ),
        ]
      : []),
    ...(short.length > 0
      ? [
          fail(
            `topic ${name}`,
            `${counted(short.length, "partition")} with fewer replicas in sync than min.insync.replicas=${needed}: nothing can be written there`,
            `bring back the brokers that are behind (${listed(behind(short))})`,
          ),
        ]
      : []),
  ];
};

/** What partitions lack now: leaders, and replicas in sync. */
export const checkPartitions = (
  found: ReadonlyMap<string, FoundTopic>,
  partitions: ReadonlyMap<string, readonly PartitionState[]>,
): Check[] => {
  const checks = [...found.values()].flatMap((topic) => ofTopic(topic, partitions.get(topic.name) ?? []));
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
