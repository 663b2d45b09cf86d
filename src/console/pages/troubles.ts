import type { LetterList } from "../../operate/dead-letters/list.ts";
import type { DoubtNumbers } from "../../operate/doubts/doubts.ts";
import { isPause, PAUSABLE, type ControlEntries } from "../../operate/pause.ts";
import type { Status } from "../../operate/status.ts";
import { messageOf, OutageError } from "../../runtime/errors.ts";
import { html, type Html } from "../html/markup.ts";
import { count, formatCount, inlineText, sentence } from "../html/text.ts";
import { ago, at } from "../html/time.ts";
import type { Progress } from "../../operate/connections.ts";

/** What one part of the overview knows; `null` while Kafka is being asked. */
export type Part<T> = { value: T } | { error: unknown } | null;

/** What is known at this moment. `journal`: how far it is read; `problem`: why it cannot be. */
export type Known = {
  topic: string;
  status: Part<Status>;
  pauses: Part<ControlEntries>;
  doubts: Part<DoubtNumbers & { progress: Progress; isComplete: boolean; problem: string | null }>;
  letters: Part<Pick<LetterList, "count" | "byReason">>;
};

/** `what`: one sentence; `todo`: what to do about it. */
export type Trouble = { tone: "bad" | "wait"; what: Html; todo: Html };

/** A reconcile run is due every 15 minutes, so several were missed by then. */
const LATE_MS = 3_600_000;

const valueOf = <T>(part: Part<T>): T | null => (part !== null && "value" in part ? part.value : null);

const outageOf = (known: Known): Trouble[] => {
  const errors = [known.status, known.doubts, known.pauses, known.letters].flatMap((part) =>
    part !== null && "error" in part ? [part.error] : [],
  );
  const error = errors.find((each) => each instanceof OutageError) ?? errors[0];
  if (error === undefined) return [];
  const what =
    error instanceof OutageError
      ? html`Kafka, or the schema registry, does not answer: see that they run`
      : html`A part of this page cannot be read`;
  return [
    {
      tone: "bad",
      what,
      todo: html`${sentence(messageOf(error))} What is not known is left out below.
        <code>cambio-bridge doctor</code> says what is wrong.`,
    },
  ];
};

const doubtsOf = ({ doubts }: Known, nowMs: number): Trouble[] => {
  const known = valueOf(doubts);
  if (known === null) return [];
  const { doubts: n, oldestSinceMs, problem } = known;
  const unreadable: Trouble[] =
    problem === null
      ? []
      : [{ tone: "bad", what: html`The journal cannot be read`, todo: html`${sentence(problem)}` }];
  if (n === 0 || oldestSinceMs === null) return unreadable;
  return [
    {
      tone: "bad",
      what: html`<a href="/doubts">${count(n, "command is", "commands are")} in doubt</a>: ask the partner
        what became of ${n === 1 ? "it" : "them"}`,
      todo: html`Money may have moved, and nobody knows. The oldest is in doubt since ${at(oldestSinceMs)},
        ${ago(oldestSinceMs, nowMs)}. <a class="button" href="/doubts">See what is known and what to do</a>`,
    },
    ...unreadable,
  ];
};

const waiting = (lag: number): string =>
  lag === 0 ? "none waits now" : `${count(lag, "command waits", "commands wait")}`;

const replicasOf = ({ status, topic }: Known): Trouble[] => {
  const known = valueOf(status);
  // Without its topic the flow was never set up.
  if (known === null || known.commands.partitions.length === 0) return [];
  const { members, lag, group, state } = known.commands;
  const todo = html`Start <code>cambio-bridge serve</code> with commands in FLOWS and KAFKA_GROUP_ID
    ${inlineText(group)}; where one runs, its /readyz says what it lacks, and
    <code>cambio-bridge doctor</code> what is wrong.`;
  if (members.length === 0)
    return [
      {
        tone: "bad",
        what: html`Nobody takes commands, and ${waiting(lag)}: start a replica`,
        todo: html`${todo} <span class="dim">The group's state is ${inlineText(state)}.</span>`,
      },
    ];
  if (state === "Stable" && members.every(({ partitions }) => (partitions[topic] ?? []).length === 0))
    return [
      {
        tone: "bad",
        what: html`Nobody takes commands, and ${waiting(lag)}: no replica has a partition of
        ${inlineText(topic)}`,
        todo: html`See TOPIC_COMMANDS and FLOWS of the replicas.`,
      },
    ];
  return [];
};

const pausesOf = ({ pauses }: Known, nowMs: number): Trouble[] =>
  PAUSABLE.flatMap((flow): Trouble[] => {
    const entry = valueOf(pauses)?.get(flow);
    if (!isPause(entry, nowMs)) return [];
    const { by, note, atMs, untilMs } = entry;
    return [
      {
        tone: "wait",
        what: html`${flow.charAt(0).toUpperCase()}${flow.slice(1)} ${flow === "reconcile" ? "is" : "are"}
        paused`,
        todo: html`By <strong>${inlineText(by)}</strong> since ${at(atMs)}, until
          ${untilMs === null ? "it is resumed" : at(untilMs)}: ${inlineText(note)}. It goes on with
          <code>cambio-bridge resume ${flow} --by NAME --note TEXT</code>.`,
      },
    ];
  });

const lettersOf = ({ letters, status }: Known): Trouble[] => {
  const lastDay = valueOf(status)?.deadLetters?.lastDay ?? 0;
  const contradictions = valueOf(letters)?.byReason.get("CONTRADICTING_ANSWER") ?? 0;
  const link = html`<a href="/dead-letters">Dead letters</a>`;
  return [
    ...(contradictions > 0
      ? [
          {
            tone: "bad" as const,
            what: html`The partner contradicted ${count(contradictions, "final result")}: ask the partner at
            once`,
            todo: html`${link} of the reason CONTRADICTING_ANSWER tell which.`,
          },
        ]
      : []),
    ...(lastDay > 0
      ? [
          {
            tone: "wait" as const,
            what: html`${formatCount(lastDay)} dead ${lastDay === 1 ? "letter" : "letters"} in the last day`,
            todo: html`${link} tell why each was not understood, and can be replayed.`,
          },
        ]
      : []),
  ];
};

const reconcileOf = ({ status }: Known, nowMs: number): Trouble[] => {
  const known = valueOf(status)?.reconcile;
  if (!known) return [];
  const { members, lastCompleteAtMs } = known;
  // Without members and without any run the flow is not used.
  if (members.length === 0 && lastCompleteAtMs === null) return [];
  const isLate = lastCompleteAtMs === null || nowMs - lastCompleteAtMs > LATE_MS;
  if (!isLate && members.length > 0) return [];
  const last =
    lastCompleteAtMs === null
      ? html`No complete run is known.`
      : html`The last complete run ended ${at(lastCompleteAtMs)}.`;
  return [
    {
      tone: "wait",
      what: members.length === 0 ? html`Nobody reconciles with the partner's log` : html`Reconciling is late`,
      todo: html`${last} The log of the replicas says why.`,
    },
  ];
};

/** What is wrong, the worst first. */
export const troublesOf = (known: Known, nowMs: number): Trouble[] => {
  const all = [
    ...outageOf(known),
    ...doubtsOf(known, nowMs),
    ...replicasOf(known),
    ...lettersOf(known),
    ...pausesOf(known, nowMs),
    ...reconcileOf(known, nowMs),
  ];
  return [...all.filter(({ tone }) => tone === "bad"), ...all.filter(({ tone }) => tone === "wait")];
};

/** Whether everything was read that "nothing is wrong" speaks of. */
export const isAllKnown = ({ status, pauses, doubts }: Known): boolean =>
  valueOf(status) !== null && valueOf(pauses) !== null && valueOf(doubts)?.isComplete === true;
