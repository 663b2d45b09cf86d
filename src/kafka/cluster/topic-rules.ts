// The one table of what a topic must be. A row: the topics it is about, when it is broken, what is wrong, what to do.
import { counted } from "../../runtime/counted.ts";
import type { FoundTopic } from "./cluster.ts";
import {
  DAY_MS,
  DEAD_LETTER_MARGIN_BYTES,
  ROLES,
  type LargestRecord,
  type TopicRole,
  type TopicNames,
} from "./topics.ts";

/** What is asked of topics. `lookbackMs`: how far back the reconcile flow looks events up; null without it. */
export type TopicDemands = {
  names: TopicNames;
  used: readonly TopicRole[];
  /** The largest records that the flows write to these topics. */
  largestRecords: readonly LargestRecord[];
  lookbackMs: number | null;
};

const numberIn = (config: FoundTopic["config"], name: string, unknown: number): number =>
  Number(config[name] ?? unknown);

const keptMs = (config: FoundTopic["config"], unknown: number): number => {
  const ms = numberIn(config, "retention.ms", unknown);
  return ms < 0 ? Infinity : ms;
};

/** A topic as the rules see it. What may not be read counts as harmless. */
export const topicFacts = (
  { role, topic }: { role: TopicRole; topic: FoundTopic },
  { names, used, largestRecords, lookbackMs }: TopicDemands,
  found: ReadonlyMap<string, FoundTopic>,
) => {
  const { config, partitions, replicationFactor } = topic;
  const policy = config["cleanup.policy"] ?? "";
  const minInsync = config["min.insync.replicas"];
  const ofCommands = found.get(names.commands)?.config ?? {};
  const [largest = null] = largestRecords
    .filter((record) => record.role === role)
    .sort((one, other) => other.bytes - one.bytes);
  return {
    lookbackMs,
    partitions,
    replicas: replicationFactor,
    minInsync: minInsync === undefined ? undefined : Number(minInsync),
    keptMs: keptMs(config, Infinity),
    /** Of the whole topic; negative for no limit. */
    maxBytes: numberIn(config, "retention.bytes", -1),
    maxMessageBytes: numberIn(config, "max.message.bytes", Infinity),
    isReadable: Object.keys(config).length > 0,
    isCompacted: policy.includes("compact"),
    isDeleting: policy.includes("delete"),
    isStampedByWriters: (config["message.timestamp.type"] ?? "LogAppendTime") !== "LogAppendTime",
    isUnclean: config["unclean.leader.election.enable"] === "true",
    /** The largest record that a setting lets be written to it. */
    largest,
    commands: {
      name: names.commands,
      isUsed: used.includes("commands"),
      keptAtLeastMs: keptMs(ofCommands, 0),
      maxMessageAtLeastBytes: numberIn(ofCommands, "max.message.bytes", 0),
    },
  };
};

/** What is wrong with a topic, to go on after its name, and what to do; false for nothing. */
type Said = readonly [detail: string, remedy: string] | false;
type Broken = (topic: ReturnType<typeof topicFacts>) => Said;

/** A problem keeps `serve` from starting, a warning is only logged. */
export type Severity = "problem" | "warning";
export type TopicRule = {
  severity: Severity;
  roles: readonly TopicRole[];
  broken: Broken;
  /** What it says of several topics is said once. */
  together?: true;
};

const allBut = (...without: TopicRole[]): TopicRole[] => ROLES.filter((role) => !without.includes(role));

const problem = (roles: readonly TopicRole[], broken: Broken): TopicRule => ({
  severity: "problem",
  roles,
  broken,
});
const warning = (roles: readonly TopicRole[], broken: Broken): TopicRule => ({
  severity: "warning",
  roles,
  broken,
});
const together = (broken: Broken, roles = ROLES): TopicRule => ({
  ...warning(roles, broken),
  together: true,
});

const TO_RAISE = "raise its retention.ms";

const compacted: Broken = ({ isCompacted }) =>
  isCompacted && [
    "is compacted, which drops records, and refuses those without a key",
    "set cleanup.policy=delete",
  ];

const limited: Broken = ({ maxBytes }) =>
  maxBytes >= 0 && [
    "is limited in size, so that it may lose records before their time",
    "set retention.bytes=-1",
  ];

const stampedByWriters: Broken = ({ isStampedByWriters }) =>
  isStampedByWriters && ["has the times of its writers", "set message.timestamp.type=LogAppendTime"];

const unclean: Broken = ({ isUnclean }) =>
  isUnclean && [
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
    ({ keptMs, commands }) =>
      keptMs < 2 * commands.keptAtLeastMs && [
        `is kept for less than twice as long as ${commands.name}, so that it may forget an accept whose ` +
          "command is still there",
        TO_RAISE,
      ],
  ),
  problem(
    ["journal"],
    ({ keptMs }) =>
      keptMs < QUOTE_LIVES_DAYS * DAY_MS && [
        `is kept for less than ${QUOTE_LIVES_DAYS} days, so that it may forget an accept whose quote is still valid`,
        TO_RAISE,
      ],
  ),
];

/** The readers of these topics rely on one total order. */
export const orderRule = problem(
  ["audit", "control"],
  ({ partitions }) =>
    partitions > 1 && [
      `has ${partitions} partitions, so that the order of its entries is not known`,
      "delete it and run `cambio-bridge setup`, which creates it with 1",
    ],
);

/** Events are kept for less time than the reconcile flow looks back: it would publish them again. */
export const lookbackRule = warning(["transactionStatus"], ({ keptMs, lookbackMs }) => {
  const needed = (Math.ceil((lookbackMs ?? 0) / DAY_MS) + 1) * DAY_MS;
  return (
    lookbackMs !== null &&
    keptMs < needed && [
      "does not keep events for a day longer than the reconcile flow looks back, so that older ones may be " +
        "published again",
      `set retention.ms=${needed} or more`,
    ]
  );
});

export const topicRules: readonly TopicRule[] = [
  ...journalRules,
  problem(["deadLetters"], ({ maxMessageBytes, commands }) => {
    const needed = commands.maxMessageAtLeastBytes + DEAD_LETTER_MARGIN_BYTES;
    return (
      commands.isUsed &&
      maxMessageBytes < needed && [
        `accepts no record as large as the largest of ${commands.name} with the headers of a dead letter`,
        `set max.message.bytes=${needed} or more`,
      ]
    );
  }),
  problem(["transactionStatus", "deadLetters", "audit"], compacted),
  problem(["audit"], stampedByWriters),
  problem(
    ROLES,
    ({ replicas, minInsync = 0 }) =>
      minInsync > replicas && [
        `has ${counted(replicas, "replica")}, and min.insync.replicas=${minInsync}, so that nothing can be ` +
          "written to it",
        `set min.insync.replicas=${replicas}, or add replicas`,
      ],
  ),
  problem(
    ROLES,
    ({ maxMessageBytes, largest }) =>
      largest !== null &&
      maxMessageBytes < largest.bytes && [
        `accepts records of at most ${maxMessageBytes} bytes, too few for ${largest.setting}`,
        `set max.message.bytes=${largest.bytes} or more, or lower the setting`,
      ],
  ),
  orderRule,
  lookbackRule,
  together(
    ({ replicas, minInsync = 2 }) =>
      (replicas < 3 || minInsync < 2) && [
        "can lose acknowledged records with one broker (fewer than 3 replicas, or min.insync.replicas below 2)",
        "give topics 3 replicas and min.insync.replicas=2",
      ],
  ),
  together(
    ({ isReadable }) =>
      !isReadable && [
        "could not be checked for compaction, retention and sizes, because this user may not read the settings",
        "grant DescribeConfigs on the topics",
      ],
  ),
  together(unclean, allBut("journal")),
  warning(["commands", "results"], compacted),
  warning(allBut("journal", "control"), limited),
  warning(
    ["control"],
    ({ isDeleting }) =>
      isDeleting && [
        "deletes old records, so that a replica may start without knowing of a pause",
        "set cleanup.policy=compact",
      ],
  ),
];
