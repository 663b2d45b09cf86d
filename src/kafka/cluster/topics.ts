// What each topic is: `setup` creates it so, `serve` and `doctor` expect it so (see `topic-rules.ts`).
import type { RecordName } from "../schema/schemas.ts";

export type TopicRole =
  "transactionStatus" | "commands" | "results" | "journal" | "deadLetters" | "control" | "audit";
export type TopicNames = Readonly<Record<TopicRole, string>>;
export type Right = "Read" | "Write";

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

/** Space for what the setting does not bound: identifiers of up to 1024 characters, headers, the batch header. */
export const RECORD_MARGIN_BYTES = 65_536;
/** Space for the headers that a dead letter adds to its record. */
export const DEAD_LETTER_MARGIN_BYTES = 65_536;
export const DEFAULT_MAX_MESSAGE_BYTES = 1_048_588;

const kept = (days: number, config: TopicPlan["config"] = {}): TopicPlan["config"] => ({
  "cleanup.policy": "delete",
  "retention.ms": String(days * DAY_MS),
  // Records expire by time only, whatever the brokers' default is.
  "retention.bytes": "-1",
  "unclean.leader.election.enable": "false",
  ...config,
});
const BROKERS_TIME = { "message.timestamp.type": "LogAppendTime" };
const FOR_EVER = { "cleanup.policy": "compact", "retention.ms": "-1" };
const LARGE = { "max.message.bytes": String(DEFAULT_MAX_MESSAGE_BYTES + DEAD_LETTER_MARGIN_BYTES) };

const PLANS: Readonly<Record<TopicRole, Omit<TopicPlan, "role" | "name">>> = {
  transactionStatus: { schema: "transaction-status-updated", rights: ["Read", "Write"], config: kept(30) },
  commands: { schema: "command", rights: ["Read"], config: kept(7) },
  results: { schema: "command-result", rights: ["Write"], config: kept(30) },
  journal: { schema: "command-journal-entry", rights: ["Read", "Write"], config: kept(14, BROKERS_TIME) },
  deadLetters: { schema: null, rights: ["Write"], config: kept(30, LARGE) },
  // One partition each, for a total order: of two operators who act at the same time, both see who was first.
  // Brokers' times decide whether an earlier replay may still be running, and no clock of an operator's machine.
  audit: { schema: null, rights: ["Write"], partitions: 1, config: kept(365, BROKERS_TIME) },
  control: { schema: null, rights: ["Read"], partitions: 1, config: kept(365, FOR_EVER) },
};

export const ROLES = Object.keys(PLANS) as TopicRole[];

export const topicPlans = (names: TopicNames): TopicPlan[] =>
  ROLES.map((role) => ({ ...PLANS[role], role, name: names[role] }));

export const subjectOf = (topic: string): string => `${topic}-value`;
