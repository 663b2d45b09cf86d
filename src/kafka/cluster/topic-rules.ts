// The one table of what a topic must be. A row: the topics it is about, when it is broken, what is wrong, what to do.
import { counted } from "../../runtime/counted.ts";
import type { FoundTopic } from "./cluster.ts";
import { DAY_MS, DEAD_LETTER_MARGIN_BYTES, ROLES } from "./topics.ts";
import type { LargestRecord, TopicNames, TopicRole } from "./topics.ts";

/** What is asked of topics. `lookbackMs`: how far back the reconcile flow looks events up; null without it. */
export type TopicDemands = {
  names: TopicNames;
  used: readonly TopicRole[];
  largestRecords: readonly LargestRecord[];
  lookbackMs: number | null;
};

type TopicConfig = FoundTopic["config"];
/** These numbers are NaN where they may not be read, which is neither more nor less than any other: no rule breaks. */
const keptMs = (config: TopicConfig): number => {
  const ms = Number(config["retention.ms"]);
  return ms < 0 ? Infinity : ms;
};
const maxMessageBytes = (config: TopicConfig): number => Number(config["max.message.bytes"]);
const minInsync = (config: TopicConfig): number => Number(config["min.insync.replicas"]);
const policyOf = (config: TopicConfig): string => config["cleanup.policy"] ?? "";

/** What a rule looks at besides its topic. `largest`: the largest record that a setting lets be written to it. */
type Surroundings = Pick<TopicDemands, "lookbackMs"> & {
  largest: LargestRecord | undefined;
  commands: { name: string; config: TopicConfig };
};

export const surroundingsOf = (
  role: TopicRole,
  { names, largestRecords, lookbackMs }: TopicDemands,
  found: ReadonlyMap<string, FoundTopic>,
): Surroundings => {
  const name = names.commands;
  const [largest] = largestRecords
    .filter((record) => record.role === role)
    .toSorted((one, other) => other.bytes - one.bytes);
  return { lookbackMs, largest, commands: { name, config: found.get(name)?.config ?? {} } };
};

/** What is wrong with a topic, to go on after its name, and what to do. */
type Complaint = readonly [detail: string, remedy: string];
type Broken = (topic: FoundTopic, surroundings: Surroundings) => Complaint | false;

/** A problem keeps `serve` from starting, a warning is only logged. */
export type Severity = "problem" | "warning";
/** `isJoint`: what it says of several topics is said once. */
export type TopicRule = ReturnType<ReturnType<typeof ruleOf>>;
const ruleOf =
  (severity: Severity, isJoint = false) =>
  (roles: readonly TopicRole[], broken: Broken) => ({ severity, isJoint, roles, broken });
const problem = ruleOf("problem");
const warning = ruleOf("warning");
const jointWarning = ruleOf("warning", true);

const allBut = (...without: TopicRole[]): TopicRole[] => ROLES.filter((role) => !without.includes(role));

const TO_RAISE = "raise its retention.ms";

const compacted: Broken = ({ config }) =>
  policyOf(config).includes("compact") && [
    "is compacted, which drops records, and refuses those without a key",
    "set cleanup.policy=delete",
  ];

const limited: Broken = ({ config }) =>
  Number(config["retention.bytes"]) >= 0 && [
    "is limited in size, so that it may lose records before their time",
    "set retention.bytes=-1",
  ];

const stampedByWriters: Broken = ({ config }) =>
  config["message.timestamp.type"] === "CreateTime" && [
    "has the times of its writers",
    "set message.timestamp.type=LogAppendTime",
  ];

const unclean: Broken = ({ config }) =>
  config["unclean.leader.election.enable"] === "true" && [
    "may get a leader that lacks acknowledged records",
    "set unclean.leader.election.enable=false",
  ];

/** A quote lives for one business day, which may end a day later elsewhere. */
const QUOTE_LIVES_DAYS = 2;

/** A journal that forgets an accept may let a quote be accepted twice. Looked at again while replicas run. */
export const journalRules: readonly TopicRule[] = [
  ...[compacted, stampedByWriters, limited, unclean].map((broken) => problem(["journal"], broken)),
  problem(
    ["journal"],
    ({ config }, { commands }) =>
      keptMs(config) < 2 * keptMs(commands.config) && [
        `is kept for less than twice as long as ${commands.name}, so that it may forget an accept whose ` +
          "command is still there",
        TO_RAISE,
      ],
  ),
  problem(
    ["journal"],
    ({ config }) =>
      keptMs(config) < QUOTE_LIVES_DAYS * DAY_MS && [
        `is kept for less than ${QUOTE_LIVES_DAYS} days, so that it may forget an accept whose quote is still valid`,
        TO_RAISE,
      ],
  ),
];

/** If events are kept for less time than the reconcile flow looks back, it publishes them again. */
export const lookbackRule = warning(["transactionStatus"], ({ config }, { lookbackMs }) => {
  if (lookbackMs === null) return false;
  const needed = (Math.ceil(lookbackMs / DAY_MS) + 1) * DAY_MS;
  return (
    keptMs(config) < needed && [
      "does not keep events for a day longer than the reconcile flow looks back, so that older ones may be " +
        "published again",
      `set retention.ms=${needed} or more`,
    ]
  );
});

export const topicRules: readonly TopicRule[] = [
  ...journalRules,
  problem(["deadLetters"], ({ config }, { commands }) => {
    const needed = maxMessageBytes(commands.config) + DEAD_LETTER_MARGIN_BYTES;
    return (
      maxMessageBytes(config) < needed && [
        `accepts no record as large as the largest of ${commands.name} with the headers of a dead letter`,
        `set max.message.bytes=${needed} or more`,
      ]
    );
  }),
  problem(["transactionStatus", "deadLetters", "audit"], compacted),
  problem(["audit"], stampedByWriters),
  problem(
    ROLES,
    ({ replicationFactor, config }) =>
      minInsync(config) > replicationFactor && [
        `has ${counted(replicationFactor, "replica")}, and min.insync.replicas=${minInsync(config)}, so that ` +
          "nothing can be written to it",
        `set min.insync.replicas=${replicationFactor}, or add replicas`,
      ],
  ),
  problem(
    ROLES,
    ({ config }, { largest }) =>
      largest !== undefined &&
      maxMessageBytes(config) < largest.bytes && [
        `accepts records of at most ${maxMessageBytes(config)} bytes, too few for ${largest.setting}`,
        `set max.message.bytes=${largest.bytes} or more, or lower the setting`,
      ],
  ),
  // The readers of these topics rely on one total order.
  problem(
    ["audit", "control"],
    ({ partitions }) =>
      partitions > 1 && [
        `has ${partitions} partitions, so that the order of its entries is not known`,
        "delete it and run `cambio-bridge setup`, which creates it with 1",
      ],
  ),
  lookbackRule,
  jointWarning(
    ROLES,
    ({ replicationFactor, config }) =>
      (replicationFactor < 3 || minInsync(config) < 2) && [
        "can lose acknowledged records with one broker (fewer than 3 replicas, or min.insync.replicas below 2)",
        "give topics 3 replicas and min.insync.replicas=2",
      ],
  ),
  jointWarning(
    ROLES,
    ({ config }) =>
      Object.keys(config).length === 0 && [
        "could not be checked for compaction, retention and sizes, because this user may not read the settings",
        "grant DescribeConfigs on the topics",
      ],
  ),
  jointWarning(allBut("journal"), unclean),
  warning(["commands", "results"], compacted),
  warning(allBut("journal", "control"), limited),
  warning(
    ["control"],
    ({ config }) =>
      policyOf(config).includes("delete") && [
        "deletes old records, so that a replica may start without knowing of a pause",
        "set cleanup.policy=compact",
      ],
  ),
];
