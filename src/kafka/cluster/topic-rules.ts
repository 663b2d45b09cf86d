// The one table of what a topic must be. A row: the topics it is about, when it is broken, what is wrong, what to do.
import { counted } from "../../runtime/counted.ts";
import type { TopicFacts } from "./topic-facts.ts";
import { DAY_MS, DEAD_LETTER_MARGIN_BYTES, ROLES, type Role } from "./topics.ts";

/** What is wrong with a topic, to go on after its name, and what to do; false for nothing. */
type Said = readonly [detail: string, remedy: string] | false;
type Broken = (topic: TopicFacts) => Said;

/** A problem keeps `serve` from starting, a warning is only logged. */
export type Severity = "problem" | "warning";
export type Rule = {
  severity: Severity;
  roles: readonly Role[];
  broken: Broken;
  /** What it says of several topics is said once. */
  together?: true;
};

const allBut = (...without: Role[]): Role[] => ROLES.filter((role) => !without.includes(role));

const problem = (roles: readonly Role[], broken: Broken): Rule => ({ severity: "problem", roles, broken });
const warning = (roles: readonly Role[], broken: Broken): Rule => ({ severity: "warning", roles, broken });
const together = (broken: Broken, roles = ROLES): Rule => ({ ...warning(roles, broken), together: true });

const TO_DELETE = "set cleanup.policy=delete";
const TO_STAMP = "set message.timestamp.type=LogAppendTime";
const TO_RAISE = "raise its retention.ms";

/** What a topic that is compacted, or limited in size, does. The control topic is compacted on purpose. */
const LOSSES: Readonly<Record<Exclude<Role, "control">, { compacted: string; limited: string }>> = {
  transactionStatus: {
    compacted: "which drops all statuses of a transaction but the last",
    limited:
      "it may lose events before their consumers read them, and the reconcile flow may publish them again",
  },
  commands: {
    compacted: "which drops commands of one key",
    limited: "it may lose commands before they are read",
  },
  results: {
    compacted: "which accepts no result of an unreadable command without a key, so that its partition stops",
    limited: "it may lose results before their readers see them",
  },
  journal: { compacted: "which forgets accepts", limited: "it may lose accepts too early" },
  deadLetters: {
    compacted:
      "which accepts no dead letter without a key, so that webhooks that are not understood get 503 and commands stop",
    limited: "it may lose dead letters before anybody sees them",
  },
  audit: {
    compacted: "which forgets who asked for what and which dead letters were replayed",
    limited: "it may forget who did what, and a dead letter may be replayed twice",
  },
};

const compacted: Broken = ({ isCompacted, role }) =>
  isCompacted && role !== "control" && [`is compacted, ${LOSSES[role].compacted}`, TO_DELETE];

const limited: Broken = ({ maxBytes, role }) =>
  maxBytes >= 0 &&
  role !== "control" && [`is limited in size, so that ${LOSSES[role].limited}`, "set retention.bytes=-1"];

const shortLived = (role: Role, consequence: string): Rule =>
  warning(
    [role],
    ({ keptMs }) =>
      keptMs < DAY_MS && [
        `keeps records for less than a day, so that ${consequence}`,
        `set retention.ms=${DAY_MS} or more`,
      ],
  );

/** A quote lives for one business day, which may end a day later elsewhere. */
const QUOTE_LIVES_DAYS = 2;

/** A journal that forgets an accept may let a quote be accepted twice. Looked at again while replicas run. */
export const journalRules: readonly Rule[] = [
  problem(["journal"], compacted),
  problem(
    ["journal"],
    ({ isStampedByWriters }) => isStampedByWriters && ["has the times of its writers", TO_STAMP],
  ),
  problem(["journal"], limited),
  problem(
    ["journal"],
    ({ isUnclean }) =>
      isUnclean && [
        "may get a leader that lacks its last entries, so that it may forget accepts",
        "set unclean.leader.election.enable=false",
      ],
  ),
  problem(
    ["journal"],
    ({ keptMs, other }) =>
      keptMs < 2 * other("commands").keptAtLeastMs && [
        `is kept for less than twice as long as ${other("commands").name}, so that it may forget an accept whose command is still there`,
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
      "does not keep events for a day longer than the reconcile flow looks back, so that older ones may be published again",
      `set retention.ms=${needed} or more`,
    ]
  );
});

/** No entry is larger. The largest are the claims of a batch of dead letters. */
export const AUDIT_ENTRY_BYTES = 131_072;

export const topicRules: readonly Rule[] = [
  ...journalRules,
  problem(["deadLetters"], ({ maxMessageBytes, other, isUsed }) => {
    const needed = other("commands").maxMessageAtLeastBytes + DEAD_LETTER_MARGIN_BYTES;
    return (
      isUsed("commands") &&
      maxMessageBytes < needed && [
        `accepts no record as large as the largest of ${other("commands").name} with the headers of a dead letter`,
        `set max.message.bytes=${needed} or more`,
      ]
    );
  }),
  problem(["deadLetters", "audit"], compacted),
  problem(
    ["audit"],
    ({ isStampedByWriters }) =>
      isStampedByWriters && [
        "has the times of its writers, so that no dead letter is replayed and nobody can approve with four eyes",
        TO_STAMP,
      ],
  ),
  problem(
    ROLES,
    ({ replicas, minInsync = 0 }) =>
      minInsync > replicas && [
        `has ${counted(replicas, "replica")}, and min.insync.replicas=${minInsync}, so that nothing can be written to it`,
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
  problem(
    ["transactionStatus"],
    ({ isCompacted, lookbackMs }) =>
      // An event that was compacted away looks as if it had never been published.
      isCompacted &&
      lookbackMs !== null && [
        "is compacted, so that the reconcile flow would publish statuses again",
        "set cleanup.policy=delete, or leave reconcile out of FLOWS",
      ],
  ),
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
  together(
    ({ replicas, minInsync }) =>
      replicas > 1 &&
      minInsync === replicas && [
        "cannot be written while one broker is away (min.insync.replicas is the number of replicas)",
        "lower min.insync.replicas by one, or add a replica",
      ],
  ),
  together(
    ({ isUnclean }) =>
      isUnclean && [
        "may get a leader that lacks acknowledged records",
        "set unclean.leader.election.enable=false",
      ],
    allBut("journal"),
  ),
  warning(["commands", "results"], compacted),
  warning(["transactionStatus"], (topic) => topic.lookbackMs === null && compacted(topic)),
  shortLived("commands", "commands that waited longer, such as over a pause or an outage, get no result"),
  shortLived("results", "senders that were away longer never see their results"),
  shortLived("deadLetters", "dead letters may be gone before anybody looks at them"),
  warning(allBut("journal"), limited),
  warning(
    ["control"],
    ({ isDeleting }) =>
      isDeleting && [
        "deletes old records, so that a replica may start without knowing of a pause",
        "set cleanup.policy=compact",
      ],
  ),
  warning(
    ["audit"],
    ({ maxMessageBytes }) =>
      maxMessageBytes < AUDIT_ENTRY_BYTES && [
        `accepts records of at most ${maxMessageBytes} bytes, too few for its largest entries, so that an action may be refused or its outcome be lost`,
        `set max.message.bytes=${AUDIT_ENTRY_BYTES} or more`,
      ],
  ),
  warning(
    ["audit"],
    ({ keptMs, other }) =>
      keptMs < other("deadLetters").keptAtLeastMs && [
        `is kept for less time than ${other("deadLetters").name}, so that a dead letter may be replayed twice`,
        TO_RAISE,
      ],
  ),
];
