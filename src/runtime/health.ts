import type { Clock } from "./clock.ts";
import { messageOf } from "./errors.ts";
import { iso } from "./instant.ts";
import { placeText } from "./record-position.ts";

/** Why a partition is not served. A `cause` is what a library or a broker said: it is only for people. */
export type Lack =
  | { kind: "noLeader" }
  | { kind: "catchingUp" }
  | { kind: "failing"; cause: string }
  | { kind: "unreadableBatch"; offset: number; cause: string };
export type PartitionTrouble = { partition: number } & Lack;

/** The partition itself is in trouble, and not the connection to its leader. */
export const isApart = ({ kind }: Lack): boolean => kind === "noLeader" || kind === "unreadableBatch";

export type PartnerFault = "unauthorized" | "throttled" | "answers5xx" | "silent" | "unreachable";

type Partitions = { topic: string; troubles: readonly PartitionTrouble[] };

/** How a part of the process is. Code decides by `kind`, with {@link RULES}; people read {@link sentenceOf}. */
export type Health =
  | { kind: "up" | "starting" | "stopping" }
  | { kind: "waiting"; cause: string }
  | { kind: "disconnected"; cause: string; sinceMs: number }
  | { kind: "reading"; left: number | null }
  | ({ kind: "somePartitions" | "unreadPartitions" | "allPartitions" } & Partitions)
  | { kind: "schemaUnknown" | "unfit"; cause: string }
  | { kind: "halted"; topic: string; partition: number; offset: number; cause: string }
  | { kind: "lost" | "missing"; topic: string; cause: string }
  | { kind: "partnerFails"; why: PartnerFault; sinceMs: number; untilMs: number | null }
  | { kind: "acceptsHeld"; why: PartnerFault; sinceMs: number; untilMs: number }
  | { kind: "doubtOpen"; sinceMs: number }
  | { kind: "rateUsedUp"; sinceMs: number; untilMs: number };

export type HealthKind = Health["kind"];

/** The traffic that a component serves. Pauses: without them neither commands nor reconcile begin. */
export type Traffic = "webhooks" | "commands" | "pauses";

type Rule = {
  /** What the kind means, as a cell of the table in docs/failures.md. */
  means: string;
  /** False: the component is down in /readyz, its gauge is 0, and after three minutes its alert fires. */
  isUp: boolean;
  /** The traffic for which a component of this kind makes /readyz answer 503. */
  unready: readonly Traffic[];
  /** Whether a replica whose journal is of this kind keeps its share of the commands. */
  keepsShare: boolean;
};

export type PartnerHealth = Extract<
  Health,
  { kind: "partnerFails" | "acceptsHeld" | "doubtOpen" | "rateUsedUp" }
>;

export const PARTNER_FAULTS: Readonly<Record<PartnerFault, string>> = {
  unauthorized: "it refuses the credentials (401): see PARTNER_ACCESS_TOKEN and PARTNER_X_TOKEN",
  throttled: "it answers 429: it is called too often",
  answers5xx: "it answers with 5xx",
  silent: "calls are sent and not answered",
  unreachable: "it cannot be reached",
};

const ALL: readonly Traffic[] = ["webhooks", "commands", "pauses"];
const down = (means: string, unready: readonly Traffic[], keepsShare = false): Rule => ({
  means,
  isUp: false,
  unready,
  keepsShare,
});
const up = (means: string): Rule => ({ means, isUp: true, unready: [], keepsShare: true });

/** Trouble of some partitions makes no replica unready. */
export const RULES: Readonly<Record<HealthKind, Rule>> = {
  up: up("it works"),
  somePartitions: up("some partitions of its topic are in trouble, and the others go on"),
  unreadPartitions: down("the topic is read, but for partitions that cannot be read since the start", []),
  allPartitions: down("all partitions of its topic are in trouble", ["webhooks", "commands"]),
  starting: down("nothing is known yet", ALL),
  waiting: down("the start waits for Kafka, the registry, a topic or a schema", ALL),
  stopping: down("the process shuts down", ALL),
  reading: down("the topic is being read", ALL),
  disconnected: down("Kafka does not answer, or refuses what is asked", ALL),
  schemaUnknown: down("the registry does not give the schema of the next entry", ["commands"]),
  halted: down("the journal holds an entry that this version cannot read", ["commands"]),
  lost: down("the journal is another log than before", ["commands"]),
  missing: down("the journal lacks its last records, maybe for a moment", ["commands"]),
  // All replicas see it: a share that one of them left would be no better off.
  unfit: down("a setting of the journal lets it forget accepts", ["commands"], true),
  partnerFails: down("the partner refuses calls, or does not answer", [], true),
  acceptsHeld: down("so many calls failed that accepts wait for a trial", [], true),
  doubtOpen: down("accepts wait until a doubt is resolved, by PARTNER_PAUSE_ON_DOUBT", [], true),
  rateUsedUp: up("calls wait for their turn, because PARTNER_MAX_RPS is used up"),
};

export const isUp = ({ kind }: Health): boolean => RULES[kind].isUp;

/** Kafka did not answer. It has been away since the first failure in a row. */
export const disconnected = (error: unknown, before: Health | null, { now }: Pick<Clock, "now">): Health => {
  const sinceMs = before?.kind === "disconnected" ? before.sinceMs : now();
  return { kind: "disconnected", cause: messageOf(error), sinceMs };
};

/** The health of something that needs its partitions one by one. */
export const partitionsHealth = (
  topic: string,
  partitions: number,
  troubles: readonly PartitionTrouble[],
): Health => {
  if (troubles.length >= partitions) return { kind: "allPartitions", topic, troubles };
  return troubles.length === 0 ? { kind: "up" } : { kind: "somePartitions", topic, troubles };
};

export const troubleText = (trouble: PartitionTrouble): string => {
  if (trouble.kind === "noLeader") return `partition ${trouble.partition} has no leader`;
  if (trouble.kind === "catchingUp")
    return `partition ${trouble.partition} answers again, and what it has missed is being read`;
  if (trouble.kind === "failing") return `partition ${trouble.partition} fails (${trouble.cause})`;
  const { partition, offset, cause } = trouble;
  const see = 'see "A batch that cannot be read" in docs/failures.md';
  return `the batch at offset ${offset} of partition ${partition} cannot be read (${cause}): ${see}`;
};

const MAX_TROUBLES = 3;

const partitionsText = ({ topic, troubles }: Partitions): string => {
  const texts = troubles.slice(0, MAX_TROUBLES).map(troubleText);
  const more = troubles.length > MAX_TROUBLES ? [`${troubles.length - MAX_TROUBLES} more`] : [];
  return [`${troubles.length} of ${topic}`, [...texts, ...more].join("; ")].filter(Boolean).join(": ");
};

const NOTHING_BEGINS = 'nothing is begun without it, see "The journal is lost" in docs/failures.md';

type HealthOf<K, H = Health> = H extends Health ? (K extends H["kind"] ? H : never) : never;

const SENTENCES: { [K in HealthKind]: (health: HealthOf<K>) => string } = {
  up: () => "works",
  starting: () => "starting",
  stopping: () => "shutting down",
  waiting: ({ cause }) => `waiting: ${cause}`,
  disconnected: ({ cause, sinceMs }) => `does not work since ${iso(sinceMs)}: ${cause}`,
  reading: ({ left }) => (left === null ? "still reading" : `still reading, ${left} offsets to go`),
  somePartitions: (health) => `works, but for partitions ${partitionsText(health)}`,
  unreadPartitions: (health) => `read, but for partitions ${partitionsText(health)}`,
  allPartitions: (health) => `all partitions are in trouble, ${partitionsText(health)}`,
  schemaUnknown: ({ cause }) => `the schema of the next entry is not known: ${cause}`,
  halted: (health) =>
    `holds an entry that this version cannot read, ${placeText(health.topic, health)} (${health.cause}): see ` +
    '"The journal cannot be read" in docs/failures.md',
  lost: ({ topic, cause }) => `${topic} ${cause}: ${NOTHING_BEGINS}`,
  missing: ({ topic, cause }) => `${topic} ${cause}: ${NOTHING_BEGINS}`,
  unfit: ({ cause }) => `${cause} Until then no command is begun.`,
  partnerFails: ({ why, sinceMs, untilMs }) =>
    `since ${iso(sinceMs)} ${PARTNER_FAULTS[why]}${untilMs === null ? "" : `, until ${iso(untilMs)} by its own word`}`,
  acceptsHeld: ({ why, sinceMs, untilMs }) =>
    `accepts pause since ${iso(sinceMs)}, because ${PARTNER_FAULTS[why]}; at ${iso(untilMs)} one is sent as a trial`,
  doubtOpen: ({ sinceMs }) =>
    `accepts pause since ${iso(sinceMs)}, because one is in doubt and PARTNER_PAUSE_ON_DOUBT is set; they go on when ` +
    "`cambio-bridge resolve` has resolved it",
  rateUsedUp: ({ sinceMs, untilMs }) =>
    `since ${iso(sinceMs)} calls wait for their turn, because PARTNER_MAX_RPS is used up; those that wait now have ` +
    `it by ${iso(untilMs)}`,
};

export const sentenceOf = (health: Health): string =>
  (SENTENCES[health.kind] as (health: Health) => string)(health);
