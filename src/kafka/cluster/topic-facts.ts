import type { FoundTopic } from "./cluster.ts";
import type { LargestRecord, Role, TopicNames } from "./topics.ts";

/** What is asked of topics. `lookbackMs`: how far back the reconcile flow looks events up; null without it. */
export type TopicDemands = {
  names: TopicNames;
  used: readonly Role[];
  /** The largest records that the flows write to these topics. */
  largestRecords: readonly LargestRecord[];
  lookbackMs: number | null;
};

type OtherFacts = { name: string; keptAtLeastMs: number; maxMessageAtLeastBytes: number };

/** A topic as the rules see it. What may not be read counts as harmless: for ever, without a bound. */
export type TopicFacts = Pick<TopicDemands, "lookbackMs"> & {
  role: Role;
  partitions: number;
  replicas: number;
  minInsync: number | undefined;
  keptMs: number;
  /** Of the whole topic; negative for no limit. */
  maxBytes: number;
  maxMessageBytes: number;
  isReadable: boolean;
  isCompacted: boolean;
  isDeleting: boolean;
  isStampedByWriters: boolean;
  isUnclean: boolean;
  /** The largest record that a setting lets be written to it. */
  largest: LargestRecord | null;
  isUsed: (role: Role) => boolean;
  /** What is known of another topic, 0 where nothing is. */
  other: (role: Role) => OtherFacts;
};

const keptMs = (config: FoundTopic["config"], unknown: number): number => {
  const ms = Number(config["retention.ms"] ?? unknown);
  return ms < 0 ? Infinity : ms;
};

export const factsOf = (
  { role, topic }: { role: Role; topic: FoundTopic },
  { names, used, largestRecords, lookbackMs }: TopicDemands,
  found: ReadonlyMap<string, FoundTopic>,
): TopicFacts => {
  const { config, partitions, replicationFactor } = topic;
  const policy = config["cleanup.policy"] ?? "";
  const minInsync = config["min.insync.replicas"];
  const largest = largestRecords
    .filter((record) => record.role === role)
    .reduce<LargestRecord | null>(
      (most, record) => (most && most.bytes >= record.bytes ? most : record),
      null,
    );
  return {
    role,
    lookbackMs,
    partitions,
    replicas: replicationFactor,
    minInsync: minInsync === undefined ? undefined : Number(minInsync),
    keptMs: keptMs(config, Infinity),
    maxBytes: Number(config["retention.bytes"] ?? -1),
    maxMessageBytes: Number(config["max.message.bytes"] ?? Infinity),
    isReadable: Object.keys(config).length > 0,
    isCompacted: policy.includes("compact"),
    isDeleting: policy.includes("delete"),
    isStampedByWriters: (config["message.timestamp.type"] ?? "LogAppendTime") !== "LogAppendTime",
    isUnclean: config["unclean.leader.election.enable"] === "true",
    largest,
    isUsed: (one) => used.includes(one),
    other: (one) => {
      const its = found.get(names[one])?.config ?? {};
      const maxMessageAtLeastBytes = Number(its["max.message.bytes"] ?? 0);
      return { name: names[one], keptAtLeastMs: keptMs(its, 0), maxMessageAtLeastBytes };
    },
  };
};
