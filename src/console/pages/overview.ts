import type { Status } from "../../operate/status.ts";
import { facts, link, notice, pathTo, reading, table } from "../html/elements.ts";
import { page } from "../html/layout.ts";
import { plot } from "../html/plot.ts";
import { ago, code, count, formatCount, html, inlineText, when, type Cell, type Html } from "../html/text.ts";
import type { Reading } from "../readings.ts";
import type { ConsoleContext } from "../site.ts";
import { STILL_READING } from "./doubts.ts";
import { RELOAD_S } from "./problem.ts";
import { isAllCurrent, readOverview, troublesOf, type Overview, type Trouble } from "./troubles.ts";

const REFRESH_S = 10;
type KnownDoubts = NonNullable<Overview["doubts"]["value"]>;

const verdict = (readings: Overview, [worst, ...others]: readonly Trouble[]): Html => {
  const box = (tone: string, title: Cell, body: Cell): Html =>
    html`<section class="verdict ${tone}"><h1>${title}.</h1> <p>${body}</p></section>`;
  if (worst)
    return html`${box(worst.tone, worst.what, worst.more)}
      ${others.map(({ tone, what, more }) => notice(tone, html`<strong>${what}.</strong> ${more}`))}`;
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
    ms === null ? "none known" : when(ms, nowMs);
  return facts([
    ["In doubt", part(doubts, nowMs, doubtsView)],
    ["Commands that wait", part(status, nowMs, ({ commands: { lag } }) => formatCount(lag))],
    ["Last complete reconcile", part(status, nowMs, runView)],
  ]);
};

const replicas = ({ commands }: Status, topic: string): Html => {
  const rows = commands.members.map(({ clientId, host, partitions }) => [
    inlineText(host, 80),
    code(clientId, 80),
    partitions[topic]?.join(", ") ?? "none",
  ]);
  const columns = ["host", "client", "partitions of commands"];
  return table("Replicas", columns, rows, "No replica is in the group.");
};

const lettersTable = (byReason: ReadonlyMap<string, number>): Cell => {
  const rows = [...byReason]
    .sort(([, a], [, b]) => b - a)
    .map(([reason, n]) => [link(pathTo("/dead-letters", { reason }), code(reason, 80)), formatCount(n)]);
  const label = "Dead letters of the last seven days, by reason";
  return table(label, ["reason", "dead letters"], rows, "None.");
};

export const overviewPage = async (context: ConsoleContext): Promise<Response> => {
  const { site } = context.var;
  const readings = await readOverview(site);
  const nowMs = site.clock.now();
  const troubles = troublesOf(readings, nowMs);
  const { topic, status, pauses, letters, rates } = readings;
  const isReading = [status, pauses, letters, rates].some((each) => each.isReading);
  return page(context, {
    title: troubles.length > 0 ? `${troubles.length} to look at` : "Overview",
    refreshS: isReading || !isAllCurrent(readings) ? RELOAD_S : REFRESH_S,
    body: html`${verdict(readings, troubles)} ${numbers(readings, nowMs)}
      <h2>Replicas</h2> ${part(status, nowMs, (value) => replicas(value, topic))}
      <h2>Dead letters <small>of the last seven days</small></h2> 
      ${part(letters, nowMs, ({ byReason }) => lettersTable(byReason))}
      <h2>Records a minute <small>over the last hour</small></h2> ${part(rates, nowMs, plot)}`,
  });
};
