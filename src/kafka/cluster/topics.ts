import type { RecordName } from "../schema/schemas.ts";

/** The topics by what they are for. */
export type TopicNames = {
  transactionStatus: string;
  commands: string;
  results: string;
  journal: string;
  deadLetters: string;
  audit: string;
  control: string;
};

/** How a topic is to be: what `setup` creates and `serve` expects. */
export type TopicPlan = {
  name: string;
  /** The schema registered as `<name>-value`; null where values have none. */
  schema: RecordName | null;
  /** Where the number is not the operator's to choose. */
  partitions?: number;
  config: Readonly<Record<string, string>>;
};

/** The largest record that a topic may be given, by the setting that decides it, as people write it: `NAME=value`. */
export type LargestRecord = { role: keyof TopicNames; bytes: number; setting: string };

const DAY_MS = 86_400_000;

/** Room for what a record holds besides that which a setting bounds: identifiers of 1024 characters, headers, the batch around it. */
export const RECORD_MARGIN_BYTES = 65_536;
/** A dead letter is a command with headers added: room for these. */
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
    "unclean.leader.election.enable": "false",
    ...more,
  },
});

export const topicPlans = (names: TopicNames): TopicPlan[] => [
  plan(names.transactionStatus, "transaction-status-updated", 30),
  plan(names.commands, "command", 7),
  plan(names.results, "command-result", 30),
  plan(names.journal, "command-journal-entry", 14, {
    "message.timestamp.type": "LogAppendTime",
    // Only time may end what was claimed, whatever the brokers' default says about size.
    "retention.bytes": "-1",
  }),
  plan(names.deadLetters, null, 30, {
    "max.message.bytes": String(DEFAULT_MAX_MESSAGE_BYTES + DEAD_LETTER_MARGIN_BYTES),
  }),
  // One partition each: whoever acts at the same time as another one sees who was first.
  {
    // Whether an earlier replay may still be at work is told by the broker's times, not by those of people's machines.
    ...plan(names.audit, null, 365, { "message.timestamp.type": "LogAppendTime" }),
    partitions: 1,
  },
  { ...plan(names.control, null, 365, { "cleanup.policy": "compact", "retention.ms": "-1" }), partitions: 1 },
];

export const subjectOf = (topic: string): string => `${topic}-value`;
