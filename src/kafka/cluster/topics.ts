// What each topic is: `setup` creates it so, `serve` and `doctor` expect it so (see `topic-rules.ts`).
import type { RecordName } from "../schema/schemas.ts";

/** What the bridge uses a topic for. */
export type TopicRole =
  "transactionStatus" | "commands" | "results" | "journal" | "deadLetters" | "control" | "audit";
export type TopicNames = Readonly<Record<TopicRole, string>>;
export type Right = "Describe" | "Read" | "Write";

export type TopicPlan = {
  role: TopicRole;
  name: string;
  /** The schema registered as `<name>-value`; null where values have none. */
  schema: RecordName | null;
  /** Set when the number is fixed, not TOPIC_PARTITIONS. */
  partitions?: number;
  /** What `serve` may do with it; of the audit topic, what people's commands may. Each brings Describe. */
  rights: readonly Right[];
  config: Readonly<Record<string, string>>;
};

/** The largest record that is written to a topic, and the setting that determines it, as `NAME=value`. */
export type LargestRecord = { role: TopicRole; bytes: number; setting: string };

export const DAY_MS = 86_400_000;

/**
 * Space for the parts of a record that the setting does not bound: identifiers of up to 1024 characters,
 * headers, the batch header.
 */
export const RECORD_MARGIN_BYTES = 65_536;
/** Space for the headers that a dead letter adds to its record. */
export const DEAD_LETTER_MARGIN_BYTES = 65_536;
/** Kafka's default of max.message.bytes. */
export const DEFAULT_MAX_MESSAGE_BYTES = 1_048_588;

type Planned = Omit<TopicPlan, "role" | "name" | "config"> & { days: number; config?: TopicPlan["config"] };

const PLANS: Readonly<Record<TopicRole, Planned>> = {
  transactionStatus: { schema: "transaction-status-updated", days: 30, rights: ["Read", "Write"] },
  commands: { schema: "command", days: 7, rights: ["Read"] },
  results: { schema: "command-result", days: 30, rights: ["Write"] },
  journal: {
    schema: "command-journal-entry",
    days: 14,
    rights: ["Read", "Write"],
    config: { "message.timestamp.type": "LogAppendTime" },
  },
  deadLetters: {
    schema: null,
    days: 30,
    rights: ["Write"],
    config: { "max.message.bytes": String(DEFAULT_MAX_MESSAGE_BYTES + DEAD_LETTER_MARGIN_BYTES) },
  },
  // One partition each, for a total order: of two operators who act at the same time, both see who was first.
  audit: {
    schema: null,
    days: 365,
    rights: ["Write"],
    partitions: 1,
    // Whether an earlier replay may still be running is decided by broker timestamps, not by the clocks of
    // operators' machines.
    config: { "message.timestamp.type": "LogAppendTime" },
  },
  control: {
    schema: null,
    days: 365,
    rights: ["Read"],
    partitions: 1,
    config: { "cleanup.policy": "compact", "retention.ms": "-1" },
  },
};

export const ROLES = Object.keys(PLANS) as TopicRole[];

export const topicPlans = (names: TopicNames): TopicPlan[] =>
  ROLES.map((role) => {
    const { days, config, ...plan } = PLANS[role];
    return {
      ...plan,
      role,
      name: names[role],
      config: {
        "cleanup.policy": "delete",
        "retention.ms": String(days * DAY_MS),
        // Records expire by time only, whatever the brokers' default is.
        "retention.bytes": "-1",
        "unclean.leader.election.enable": "false",
        ...config,
      },
    };
  });

export const subjectOf = (topic: string): string => `${topic}-value`;
