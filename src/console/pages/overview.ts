import { listLetters, type LetterList } from "../../operate/dead-letters/read.ts";
import { readPauses } from "../../operate/pause.ts";
import { recordsPerMinute } from "../../operate/rates.ts";
import { readStatus, type Status } from "../../operate/status.ts";
import type { Tools } from "../../operate/tools.ts";
import { bad, troublesOf, type Trouble } from "../../operate/troubles.ts";
import { messageOf, OutageError } from "../../runtime/errors.ts";
import { facts, link, notice, pathTo, reading, sentenceView, table } from "../html/elements.ts";
import { page } from "../html/layout.ts";
import { plot } from "../html/plot.ts";
import { ago, codeText, count, formatCount, html, inlineText, timeAndAge } from "../html/text.ts";
import type { Cell, Html } from "../html/text.ts";
import type { Reading } from "../readings.ts";
import type { ConsoleContext, Site } from "../site.ts";
import { readProposals, STILL_READING } from "./doubts.ts";
import { RELOAD_S } from "./problem.ts";

/** Counting dead letters, and asking for the offsets of an hour, is more work than the rest. */
const SLOW_MS = 60_000;
const LETTERS_PERIOD_MS = 7 * 86_400_000;
const REFRESH_S = 10;

const readOverview = async (site: Site) => {
  const { read, clock } = site;
  const readLetters = (tools: Tools): Promise<LetterList> =>
    listLetters(tools, { sinceMs: clock.now() - LETTERS_PERIOD_MS }, 0);
  const [status, pauses, letters, rates, journal, proposals] = await Promise.all([
    read("status", readStatus),
    read("pauses", readPauses),
    read("letters by reason", readLetters, SLOW_MS),
    read("rates", recordsPerMinute, SLOW_MS),
    site.doubts.look(),
    readProposals(site),
  ]);
  const opened = journal.value;
  const doubts = { ...journal, value: opened && { ...opened.numbers(), ...opened.progress() } };
  const waiting = { ...proposals, value: opened && proposals.value && opened.waiting(proposals.value) };
  return { status, pauses, letters, rates, doubts, waiting };
};
export type Overview = Awaited<ReturnType<typeof readOverview>>;

/** Whether it was read just now: while a question is open, Kafka may have frozen. */
const isCurrent = ({ value, error, isReading }: Overview["status" | "pauses" | "doubts"]): boolean =>
  value !== null && error === null && !isReading;

/** Whether all that "nothing is wrong" speaks of was read just now. */
export const isAllCurrent = ({ status, pauses, doubts }: Overview): boolean =>
  [status, pauses, doubts].every(isCurrent) && doubts.value?.isComplete === true;

const outages = ({ status, doubts, pauses, letters, waiting }: Overview): Trouble[] => {
  const errors = [status, doubts, pauses, letters, waiting].map(({ error }) => error);
  const error = errors.find((each) => each instanceof OutageError) ?? errors.find((each) => each !== null);
  if (error === undefined) return [];
  const what =
    error instanceof OutageError
      ? "Kafka, or the schema registry, does not answer: see that they run"
      : "A part of this page cannot be read: see why";
  const advice = " What is shown below is what was known before. `cambio-bridge doctor` says what is wrong.";
  return [bad(what, messageOf(error) + advice)];
};

const troublesIn = (readings: Overview, config: Tools["config"], nowMs: number): Trouble[] => {
  const { status, pauses, letters, doubts, waiting } = readings;
  const facts = {
    status: status.value,
    pauses: pauses.value,
    doubts: doubts.value,
    proposals: waiting.value?.length,
    contradictions: letters.value?.byReason.get("CONTRADICTING_ANSWER"),
  };
  const all = [...outages(readings), ...troublesOf(facts, config, nowMs)];
  const isKnown = isCurrent(status) && isCurrent(pauses);
  return isKnown ? all : all.filter(({ tone }) => tone === "bad");
};

type KnownDoubts = NonNullable<Overview["doubts"]["value"]>;

const verdict = (readings: Overview, [worst, ...others]: readonly Trouble[], nowMs: number): Html => {
  const box = (tone: string, title: Cell, body: Cell): Html =>
    html`<section class="verdict ${tone}"><h1>${title}.</h1> <p>${body}</p></section>`;
  if (worst)
    return html`${box(worst.tone, inlineText(worst.what), sentenceView(worst.more, nowMs))}
      ${others.map(({ tone, what, more }) =>
        notice(tone, html`<strong>${inlineText(what)}.</strong> ${sentenceView(more, nowMs)}`),
      )}`;
  return isAllCurrent(readings)
    ? box(
        "good",
        "No command is in doubt, and commands are taken",
        "Of every command it is known what became of it, or it waits, or is being executed.",
      )
    : box("plain", "Not everything is known yet", "Kafka is asked now. Each figure says when it was known.");
};

const part = <T>(
  { value, atMs, error, progress }: Reading<T>,
  nowMs: number,
  view: (value: T) => Cell,
): Cell => {
  const age = atMs !== null && html`<small class="dim">known ${ago(atMs, nowMs)}</small>`;
  if (value !== null) return html`${view(value)} ${age}`;
  if (error !== null) return "not known";
  return progress === null ? "not known yet" : reading("The topic is being read", progress);
};

const doubtsView = ({ doubts, underWay, isComplete, problem, ...progress }: KnownDoubts): Cell => {
  if (isComplete)
    return `${formatCount(doubts)}${underWay > 0 ? `, and ${count(underWay, "call")} under way` : ""}`;
  return problem === null ? reading(STILL_READING, progress) : "not known";
};

const numbers = ({ status, doubts }: Overview, nowMs: number): Html => {
  const runView = ({ reconcile: { lastCompleteAtMs: ms } }: Status): Cell =>
    ms === null ? "none known" : timeAndAge(ms, nowMs);
  return facts([
    ["In doubt", part(doubts, nowMs, doubtsView)],
    ["Commands that wait", part(status, nowMs, ({ commands: { lag } }) => formatCount(lag))],
    ["Last complete reconcile", part(status, nowMs, runView)],
  ]);
};

const replicas = ({ commands }: Status, topic: string): Html => {
  const rows = commands.members.map(({ clientId, host, partitions }) => ({
    host: inlineText(host, 80),
    client: codeText(clientId, 80),
    "partitions of commands": partitions[topic]?.join(", ") ?? "none",
  }));
  return table("Replicas", rows, "No replica is in the group.");
};

const lettersTable = (byReason: ReadonlyMap<string, number>): Cell => {
  const rows = [...byReason]
    .sort(([, a], [, b]) => b - a)
    .map(([reason, n]) => ({
      reason: link(pathTo("/dead-letters", { reason }), codeText(reason, 80)),
      "dead letters": formatCount(n),
    }));
  return table("Dead letters of the last seven days, by reason", rows, "None.");
};

export const overviewPage = async (context: ConsoleContext): Promise<Response> => {
  const { site } = context.var;
  const readings = await readOverview(site);
  const nowMs = site.clock.now();
  const { config } = site.tools;
  const troubles = troublesIn(readings, config, nowMs);
  const { status, pauses, letters, rates } = readings;
  const isReading = [status, pauses, letters, rates].some((each) => each.isReading);
  return page(context, {
    title: troubles.length > 0 ? `${troubles.length} to look at` : "Overview",
    refreshS: isReading || !isAllCurrent(readings) ? RELOAD_S : REFRESH_S,
    body: html`${verdict(readings, troubles, nowMs)} ${numbers(readings, nowMs)}
      <h2>Replicas</h2> ${part(status, nowMs, (value) => replicas(value, config.topics.commands))}
      <h2>Dead letters <small>of the last seven days</small></h2> 
      ${part(letters, nowMs, ({ byReason }) => lettersTable(byReason))}
      <h2>Records a minute <small>over the last hour</small></h2> ${part(rates, nowMs, plot)}`,
  });
};
