import { counted } from "../runtime/counted.ts";
import { sentenceOf, type PartnerHealth } from "../runtime/health.ts";
import type { DoubtNumbers } from "./doubts/doubts.ts";
import { isPause, PAUSABLE, type ControlEntries } from "./pause.ts";
import type { Sentence } from "./sentence.ts";
import type { Status } from "./status.ts";
import type { Tools } from "./tools.ts";

/** `what`: one sentence that says what to do. `more`: how, and since when. `holds`: what does not begin meanwhile. */
export type Trouble = { tone: "bad" | "wait"; what: string; more: Sentence; holds?: "commands" | "accepts" };

/** A member is null where it is not known. `contradictions`: answers that say the opposite of a final result. */
type KnownFacts = {
  status: Status | null;
  pauses: ControlEntries | null;
  doubts: (Pick<DoubtNumbers, "doubts" | "oldestSinceMs"> & { problem?: string | null }) | null;
  proposals?: number | undefined;
  contradictions?: number | undefined;
};

const DOUBTS = { page: "/doubts", title: "See what is known and what to do", command: "doubts" };
const LETTERS = { page: "/dead-letters", title: "See the dead letters", command: "dead-letters list" };
const SEE_LOG = "If it lasts, see the log of the replicas.";
/** Reconciling is late when so many runs were missed. */
const LATE_RUNS = 4;
/** A run takes its time, however short RECONCILE_EVERY is. */
const LEAST_EVERY_MS = 900_000;

export const bad = (what: string, ...more: Sentence): Trouble => ({ tone: "bad", what, more });
const wait = (what: string, ...more: Sentence): Trouble => ({ tone: "wait", what, more });

function* doubtTroubles({ doubts, proposals = 0 }: KnownFacts): Generator<Trouble> {
  const { doubts: number = 0, oldestSinceMs = null, problem = null } = doubts ?? {};
  const what = `${counted(number, "command is", "commands are")} in doubt: ask the partner what became of each`;
  const since = "Money may have moved, and nobody knows. The oldest is in doubt since ";
  if (oldestSinceMs !== null) yield bad(what, since, { atMs: oldestSinceMs }, ". ", DOUBTS);
  if (problem !== null) yield bad("The journal cannot be read", problem);
  const question = `${counted(proposals, "proposal waits", "proposals wait")} for a second person`;
  const how = "Look at the doubt, ask the partner yourself, and confirm it there. ";
  if (proposals > 0) yield wait(question, how, DOUBTS);
}

const PARTNER_TROUBLES: Readonly<Record<PartnerHealth["kind"], string>> = {
  partnerFails: "The partner fails: see why",
  acceptsHeld: "Accepts are held back: the partner fails",
  doubtOpen: "Accepts wait until a doubt is resolved: find out what became of it",
  rateUsedUp: "Commands wait for their turn: if it lasts, ask the partner for more calls a second",
};

const partnerTrouble = (health: PartnerHealth): Trouble => ({
  ...wait(PARTNER_TROUBLES[health.kind], `${sentenceOf(health)}.`),
  ...((health.kind === "acceptsHeld" || health.kind === "doubtOpen") && { holds: "accepts" }),
});

function* groupTroubles(commands: Status["commands"], topic: string): Generator<Trouble> {
  const { group, state, members, partitions, lag, unowned } = commands;
  const lagText = (count: number): string => counted(count, "command waits", "commands wait");
  if (members.length > 0 && state !== "Stable")
    yield wait(
      "The group of the commands settles: see whether it ends",
      `Its state is ${state}. Meanwhile few commands are taken. ${SEE_LOG}`,
    );
  else if (members.every((member) => !member.partitions[topic]?.length)) {
    const more =
      "Where a replica runs, see its /readyz first: it says what it lacks. Where none does, and commands are wanted, " +
      "start `cambio-bridge serve` with commands in FLOWS, this TOPIC_COMMANDS, and KAFKA_GROUP_ID " +
      `${group}; \`cambio-bridge doctor\` says what is wrong. The group's state is ${state}.`;
    const what = partitions.length === 0 ? `there is no topic ${topic}` : lagText(lag);
    yield { ...bad(`Nobody takes commands, and ${what}: see the replicas`, more), holds: "commands" };
  } else if (unowned.length > 0) {
    const orphans = partitions.filter(({ partition }) => unowned.includes(partition));
    const unownedLag = orphans.reduce((sum, partition) => sum + partition.lag, 0);
    yield (unownedLag === 0 ? wait : bad)(
      `No replica has ${topic}[${unowned.join(", ")}], where ${lagText(unownedLag)}`,
      `Added partitions are taken up within half a minute. ${SEE_LOG}`,
    );
  }
}

const commandTroubles = (commands: Status["commands"], topic: string): Trouble[] => [
  ...commands.unread.map((partition) =>
    bad(`Nobody can read ${topic}[${partition}]: no leader answers`, "See that the brokers run."),
  ),
  ...commands.unreadable.map(({ partition, offset }) =>
    bad(
      `The commands of ${topic}[${partition}] wait: a batch cannot be read`,
      `It stands at offset ${offset}: see "A batch that cannot be read" in docs/failures.md.`,
    ),
  ),
  ...groupTroubles(commands, topic),
];

const NAMES = { commands: "Commands are", accepts: "Accepts are", reconcile: "Reconciling is" } as const;

const pauseTroubles = (entries: ControlEntries, nowMs: number): Trouble[] =>
  PAUSABLE.flatMap((flow): Trouble[] => {
    const entry = entries.get(flow);
    if (!isPause(entry, nowMs)) return [];
    const { by, note, atMs, untilMs } = entry;
    const end = untilMs === null ? "it is resumed" : { atMs: untilMs };
    const how = `. It goes on with \`cambio-bridge resume ${flow} --by NAME --note TEXT\`.`;
    const more = ["By ", { words: by }, " since ", { atMs }, ", until ", end, ": ", { words: note }, how];
    const pause = wait(`${NAMES[flow]} paused`, ...more);
    return [flow === "reconcile" ? pause : { ...pause, holds: flow }];
  });

function* reconcileTroubles(
  { members, lastCompleteAtMs }: Status["reconcile"],
  everyMs: number,
  nowMs: number,
): Generator<Trouble> {
  const lateMs = LATE_RUNS * Math.max(everyMs, LEAST_EVERY_MS);
  const isLate = lastCompleteAtMs === null || nowMs - lastCompleteAtMs > lateMs;
  const what = members.length === 0 ? "Nobody reconciles with the partner's log" : "Reconciling is late";
  const last = lastCompleteAtMs === null ? "not known" : { atMs: lastCompleteAtMs };
  // A flow that has neither members nor runs is not used.
  if (members.length === 0 ? lastCompleteAtMs !== null : isLate)
    yield wait(`${what}: see the log of the replicas`, "The last complete run: ", last, ".");
}

function* allTroubles(
  facts: KnownFacts,
  { topics, reconcile }: Tools["config"],
  nowMs: number,
): Generator<Trouble> {
  const { status, pauses, contradictions = 0 } = facts;
  yield* doubtTroubles(facts);
  yield* (status?.partner ?? []).map(partnerTrouble);
  if (status) yield* commandTroubles(status.commands, topics.commands);
  const finals = `The partner contradicted ${counted(contradictions, "final result")}: ask the partner at once`;
  const letters = "Dead letters of the reason CONTRADICTING_ANSWER tell which. ";
  if (contradictions > 0) yield bad(finals, letters, LETTERS);
  const lastDay = status?.deadLetters?.lastDay ?? 0;
  const causes = "They were not understood, or refused: see what their reason asks before a replay. ";
  if (lastDay > 0) yield wait(`${counted(lastDay, "dead letter")} in the last day: see why`, causes, LETTERS);
  if (pauses) yield* pauseTroubles(pauses, nowMs);
  if (status) yield* reconcileTroubles(status.reconcile, reconcile.everyMs, nowMs);
}

/** What people should look at, the bad first. */
export const troublesOf = (...known: Parameters<typeof allTroubles>): Trouble[] => {
  const { bad: worst = [], wait: others = [] } = Object.groupBy(allTroubles(...known), ({ tone }) => tone);
  return [...worst, ...others];
};
