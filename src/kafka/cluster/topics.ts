import type { Config } from "../../config/config.ts";
import type { RecordName } from "../schema/schemas.ts";

/** Topic names by role. */
export type TopicNames = Omit<Config["topics"], "partitions" | "replicationFactor">;

/** The specification of a topic: `setup` creates it so, and `serve` expects it so. */
export type TopicPlan = {
  name: string;
  /** The schema registered as `<name>-value`; null where values have none. */
  schema: RecordName | null;
  /** Set when the number is fixed, not TOPIC_PARTITIONS. */
  partitions?: number;
  config: Readonly<Record<string, string>>;
};

/** The largest record that is written to a topic, and the setting that determines it, as `NAME=value`. */
export type LargestRecord = { role: keyof TopicNames; bytes: number; setting: string };

const DAY_MS = 86_400_000;

/**
 * Space for the parts of a record that the setting does not bound: identifiers of up to 1024 characters,
 * headers, the batch header.
 */
export const RECORD_MARGIN_BYTES = 65_536;
/** Space for the headers that a dead letter adds to its record. */
export const DEAD_LETTER_MARGIN_BYTES = 65_536;
/** Kafka's default of max.message.bytes. */
export const DEFAULT_MAX_MESSAGE_BYTES = 1_048_588;

const plan = (
  name: string,
  schema: RecordName | null,
  days: number,
  more: Record<string, string> = {},
): TopicPlan => ({
  name,
  schema,
  config: {
    "cleanup.policy": "delete",
    "retention.ms": String(days * DAY_MS),
    // Records expire by time only, whatever the brokers' default is.
    "retention.bytes": "-1",
    "unclean.leader.election.enable": "false",
    ...more,
  },
});

export const topicPlans = (names: TopicNames): TopicPlan[] => [
  plan(names.transactionStatus, "transaction-status-updated", 30),
  plan(names.commands, "command", 7),
  plan(names.results, "command-result", 30),
  plan(names.journal, "command-journal-entry", 14, { "message.timestamp.type": "LogAppendTime" }),
  plan(names.deadLetters, null, 30, {
    "max.message.bytes": String(DEFAULT_MAX_MESSAGE_BYTES + DEAD_LETTER_MARGIN_BYTES),
  }),
  // One partition each, for a total order: of two operators who act at the same time, both see who was first.
  {
    // Whether an earlier replay may still be running is decided by broker timestamps, not by the clocks of
    // operators' machines.
    ...plan(names.audit, null, 365, { "message.timestamp.type": "LogAppendTime" }),
    partitions: 1,
  },
  { ...plan(names.control, null, 365, { "cleanup.policy": "compact", "retention.ms": "-1" }), partitions: 1 },
];

export const subjectOf = (topic: string): string => `${topic}-value`;
