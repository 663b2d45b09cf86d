import { listLetters, type LetterList } from "../../operate/dead-letters/read.ts";
import { isPause, PAUSABLE, pauses as readPauses } from "../../operate/pause.ts";
import { recordsPerMinute } from "../../operate/rates.ts";
import type { OnProgress } from "../../operate/tool-services.ts";
import { status as readStatus } from "../../operate/status.ts";
import { sentenceOf, type PartnerHealth } from "../../runtime/health.ts";
import { messageOf, OutageError } from "../../runtime/errors.ts";
import { at, code, count, html, inlineText, sentence, when, type Html } from "../html/text.ts";
import type { Site } from "../site.ts";
import { readProposals } from "./doubts.ts";

/** Counting dead letters, and asking for the offsets of an hour, is more work than the rest. */
const SLOW_MS = 60_000;
const LETTERS_PERIOD_MS = 7 * 86_400_000;
/** Reconciling is late when so many runs were missed. */
const LATE_RUNS = 4;
/** A run takes its time, however short RECONCILE_EVERY is. */
const LEAST_EVERY_MS = 900_000;

/** `what`: one sentence that says what to do; `more`: how, and since when. */
export type Trouble = { tone: "bad" | "wait"; what: Html; more: Html };

export const readOverview = async (site: Site) => {
  const { services, read, clock } = site;
  const { topics, reconcile } = services.config;
  const readLetters = (onProgress: OnProgress, signal: AbortSignal): Promise<LetterList> =>
    listLetters(services, { sinceMs: clock.now() - LETTERS_PERIOD_MS }, { limit: 0, onProgress, signal });
  const [status, pauses, letters, rates, journal, proposals] = await Promise.all([
    read("status", (_, signal) => readStatus(services, signal)),
    read("pauses", (_, signal) => readPauses(services, signal)),
    read("letters by reason", readLetters, SLOW_MS),
    read("rates", (_, signal) => recordsPerMinute(services, signal), SLOW_MS),
    site.doubts.look(),
    readProposals(site),
  ]);
  const opened = journal.value;
  const doubts = { ...journal, value: opened && { ...opened.numbers(), ...opened.progress() } };
  const waiting = { ...proposals, value: opened && proposals.value && opened.waiting(proposals.value) };
  const reconcileLateMs = LATE_RUNS * Math.max(reconcile.everyMs, LEAST_EVERY_MS);
  return { topic: topics.commands, reconcileLateMs, status, pauses, letters, rates, doubts, waiting };
};
export type Overview = Awaited<ReturnType<typeof readOverview>>;

const bad = (what: Html, more: Html): Trouble => ({ tone: "bad", what, more });
const wait = (what: Html, more: Html): Trouble => ({ tone: "wait", what, more });

function* outages({ status, doubts, pauses, letters, waiting }: Overview): Generator<Trouble> {
  const errors = [status, doubts, pauses, letters, waiting].map(({ error }) => error);
  const error = errors.find((each) => each instanceof OutageError) ?? errors.find((each) => each !== null);
  if (error === undefined) return;
  const what =
    error instanceof OutageError
      ? html`Kafka, or the schema registry, does not answer: see that they run`
      : html`A part of this page cannot be read: see why`;
  const more = html`${sentence(messageOf(error))} What is shown below is what was known before.
    <code>cambio-bridge doctor</code> says what is wrong.`;
  yield bad(what, more);
}

function* openDoubts({ doubts, waiting }: Overview, nowMs: number): Generator<Trouble> {
  const { doubts: n = 0, oldestSinceMs = null, problem = null } = doubts.value ?? {};
  if (oldestSinceMs !== null) {
    const link = html`<a href="/doubts">${count(n, "command is", "commands are")} in doubt</a>`;
    const button = html`<a class="button" href="/doubts">See what is known and what to do</a>`;
    yield bad(
      html`${link}: ask the partner what became of ${n === 1 ? "it" : "them"}`,
      html`Money may have moved, and nobody knows. The oldest is in doubt since ${when(oldestSinceMs, nowMs)}. ${button}`,
    );
  }
  if (problem !== null) yield bad(html`The journal cannot be read`, sentence(problem));
  const proposals = waiting.value?.length ?? 0;
  if (proposals > 0)
    yield wait(
      html`<a href="/doubts">${count(proposals, "proposal waits", "proposals wait")}</a> for a second person`,
      html`Look at the doubt, ask the partner yourself, and confirm it there.`,
    );
}

const PARTNER_ADVICE = {
  partnerFails: ["The partner fails: see why", "Ask the partner if it lasts."],
  acceptsHeld: ["Accepts are held back: the partner fails", "Ask the partner if it lasts."],
  doubtOpen: ["Accepts wait until a doubt is resolved", "Find out what became of it, and resolve it."],
  rateUsedUp: ["Commands wait for their turn", "If it lasts, ask the partner for more calls a second."],
} as const satisfies Record<PartnerHealth["kind"], unknown>;

const partnerTrouble = (health: PartnerHealth): Trouble => {
  const [what, advice] = PARTNER_ADVICE[health.kind];
  return wait(html`${what}`, html`${sentence(`${sentenceOf(health)}.`)} ${advice}`);
};

function* commandTroubles({ status, topic }: Overview): Generator<Trouble> {
  const commands = status.value?.commands;
  if (!commands) return;
  const { members, lag, group, state, partitions, unread, unreadable, unowned } = commands;
  for (const partition of unread)
    yield bad(
      html`Nobody can read partition ${partition} of the commands: no leader answers`,
      html`Its commands wait. See that the brokers of ${code(topic)} run.`,
    );
  for (const { partition, offset } of unreadable)
    yield bad(
      html`The commands of partition ${partition} wait: a batch cannot be read`,
      html`It stands at offset ${offset}: see “A batch that cannot be read” in docs/failures.md.`,
    );
  const isIdle = state === "Stable" && members.every((member) => !member.partitions[topic]?.length);
  if (members.length > 0 && !isIdle) {
    if (state !== "Stable")
      yield wait(
        html`The group of the commands settles: see whether it ends`,
        html`Its state is ${inlineText(state)}. Meanwhile few commands are taken. If it lasts, see the log of the replicas.`,
      );
    const orphans = partitions.filter(({ partition }) => unowned.includes(partition));
    const orphanLag = orphans.reduce((sum, partition) => sum + partition.lag, 0);
    if (unowned.length > 0)
      yield {
        tone: orphanLag === 0 ? "wait" : "bad",
        what: html`No replica has ${count(unowned.length, "partition")} of the commands (${unowned.join(", ")}), where
          ${count(orphanLag, "command waits", "commands wait")}`,
        more: html`Added partitions are taken up within half a minute. If it lasts, see the log of the replicas.`,
      };
    return;
  }
  const none = partitions.length === 0 ? `there is no topic ${topic}` : "none waits now";
  const waiting = lag === 0 ? none : count(lag, "command waits", "commands wait");
  const whereToLook =
    members.length === 0
      ? "where they are wanted, see the replicas"
      : "see TOPIC_COMMANDS and FLOWS of the replicas";
  const start = html`Where a replica runs, see its /readyz first: it says what it lacks. Where none does, and commands are
    wanted, start <code>cambio-bridge serve</code> with commands in FLOWS and KAFKA_GROUP_ID ${inlineText(group)}; <code>cambio-bridge doctor</code>
    says what is wrong. The group's state is ${inlineText(state)}.`;
  yield bad(html`Nobody takes commands, and ${waiting}: ${whereToLook}`, start);
}

function* letterTroubles({ letters, status }: Overview): Generator<Trouble> {
  const lastDay = status.value?.deadLetters?.lastDay ?? 0;
  const contradictions = letters.value?.byReason.get("CONTRADICTING_ANSWER") ?? 0;
  const link = html`<a href="/dead-letters">Dead letters</a>`;
  if (contradictions > 0)
    yield bad(
      html`The partner contradicted ${count(contradictions, "final result")}: ask the partner at once`,
      html`${link} of the reason CONTRADICTING_ANSWER tell which.`,
    );
  if (lastDay > 0)
    yield wait(
      html`${count(lastDay, "dead letter")} in the last day: see why`,
      html`${link} were not understood, or refused: see what their reason asks before a replay.`,
    );
}

function* pausedFlows({ pauses }: Overview, nowMs: number): Generator<Trouble> {
  for (const flow of PAUSABLE) {
    const entry = pauses.value?.get(flow);
    if (!isPause(entry, nowMs)) continue;
    const { by, note, atMs, untilMs } = entry;
    const what = { commands: "Commands are", accepts: "Accepts are", reconcile: "Reconciling is" }[flow];
    const end = untilMs === null ? "it is resumed" : at(untilMs);
    const more = html`By <strong>${inlineText(by)}</strong> since ${at(atMs)}, until ${end}: ${inlineText(note)}.
      It goes on with <code>cambio-bridge resume ${flow} --by NAME --note TEXT</code>.`;
    yield wait(html`${what} paused`, more);
  }
}

function* reconcileTroubles({ status, reconcileLateMs }: Overview, nowMs: number): Generator<Trouble> {
  const { members = [], lastCompleteAtMs = null } = status.value?.reconcile ?? {};
  const isLate = lastCompleteAtMs === null || nowMs - lastCompleteAtMs > reconcileLateMs;
  const what = members.length === 0 ? "Nobody reconciles with the partner's log" : "Reconciling is late";
  // A flow that has neither members nor runs is not used.
  if (members.length === 0 ? lastCompleteAtMs !== null : isLate)
    yield wait(html`${what}: see the log of the replicas`, html`When a run was last complete stands below.`);
}

export const troublesOf = (readings: Overview, nowMs: number): Trouble[] => {
  const all = [
    ...outages(readings),
    ...openDoubts(readings, nowMs),
    ...(readings.status.value?.partner ?? []).map(partnerTrouble),
    ...commandTroubles(readings),
    ...letterTroubles(readings),
    ...pausedFlows(readings, nowMs),
    ...reconcileTroubles(readings, nowMs),
  ];
  const mild = isCurrent(readings.status) && isCurrent(readings.pauses) ? all : [];
  return [...all.filter(({ tone }) => tone === "bad"), ...mild.filter(({ tone }) => tone === "wait")];
};

/** Whether it was read just now: while a question is open, Kafka may have frozen. */
const isCurrent = ({ value, error, isReading }: Overview["status" | "pauses" | "doubts"]): boolean =>
  value !== null && error === null && !isReading;

/** Whether all that "nothing is wrong" speaks of was read just now. */
export const isAllCurrent = ({ status, pauses, doubts }: Overview): boolean =>
  [status, pauses, doubts].every(isCurrent) && doubts.value?.isComplete === true;
