import { listLetters } from "../../operate/dead-letters/read.ts";
import type { OpenDoubts } from "../../operate/doubts/doubts.ts";
import { isPause, PAUSABLE, pauses as askPauses } from "../../operate/pause.ts";
import { recordsPerMinute } from "../../operate/rates.ts";
import { status as askStatus, type Status } from "../../operate/status.ts";
import { link, notice, reading, table } from "../html/elements.ts";
import { page } from "../html/layout.ts";
import { pathTo } from "../html/path.ts";
import { plot } from "../html/plot.ts";
import { ago, at, code, count, formatCount, html, inlineText, type Cell, type Html } from "../html/text.ts";
import type { Reading } from "../readings.ts";
import type { ConsoleContext, Site } from "../site.ts";
import { storySearch } from "./story.ts";
import { isAllKnown, troublesOf, valueOf, type Known, type Part, type Trouble } from "./troubles.ts";

/** How old what is shown may be: the page is loaded every few seconds, maybe by many. */
const FRESH_MS = 4_000;
/** Counting dead letters, and asking for the offsets of an hour, is more work. */
const SLOW_MS = 60_000;
const REFRESH_S = 10;
/** While something is still being read. */
const REFRESH_SOON_S = 2;
/** Dead letters are counted so far back. */
const LETTERS_MS = 7 * 86_400_000;
const MAX_REPLICAS = 50;

const partOf = <T>(from: Reading<T>): Part<T> => {
  if (from.kind === "failed") return { error: from.error };
  if (from.kind === "read") return { value: from.value };
  return from.before === null ? null : { value: from.before };
};

const doubtsPart = (now: Part<OpenDoubts>): Known["doubts"] => {
  if (now === null || !("value" in now)) return now;
  const { isComplete, problem, ...progress } = now.value.progress();
  return { value: { ...now.value.numbers(), progress, isComplete, problem } };
};

const readAll = async ({ connections, read, clock, warn, doubts }: Site) => {
  const all = await Promise.all([
    read("status", (_, signal) => askStatus(connections, signal), FRESH_MS),
    read("pauses", (_, signal) => askPauses(connections, { warn }, signal), FRESH_MS),
    read(
      "letters by reason",
      (onProgress, signal) => {
        const selection = { sinceMs: clock.now() - LETTERS_MS };
        return listLetters(connections, selection, { limit: 0, onProgress }, signal);
      },
      SLOW_MS,
    ),
    read("rates", (_, signal) => recordsPerMinute(connections, signal), SLOW_MS),
    doubts.look(),
  ]);
  const [status, pauses, letters, rates, now] = all;
  const topic = connections.config.topics.commands;
  const parts = {
    status: partOf(status),
    pauses: partOf(pauses),
    letters: partOf(letters),
    doubts: doubtsPart(partOf(now)),
  };
  const isReading = all.some(({ kind }) => kind === "reading");
  return { known: { topic, ...parts } satisfies Known, letters, rates: partOf(rates), isReading };
};

const verdict = (known: Known, [worst, ...others]: readonly Trouble[]): Html => {
  const box = (tone: string, title: Cell, body: Cell): Html =>
    html`<section class="verdict ${tone}"><h1>${title}.</h1> <p>${body}</p></section>`;
  if (worst)
    return html`${box(worst.tone, worst.what, worst.more)}
      ${others.map(({ tone, what, more }) => notice(tone, html`<strong>${what}.</strong> ${more}`))}`;
  return isAllKnown(known)
    ? box(
        "good",
        "No command is in doubt, and commands are taken",
        "Of every command it is known what became of it, or it is being executed.",
      )
    : box("wait", "Kafka is being asked", "Nothing is known to be wrong so far, but not everything is read.");
};

const card = (label: string, value: Cell, detail: Cell): Html =>
  html`<li class="card">
    <span class="label">${label}</span> <span class="value">${value}</span> <span class="detail">${detail}</span>
  </li>`;

const textOf = <T>(part: Part<T>, text: (value: T) => Cell): Cell =>
  part === null ? "being asked" : "value" in part ? text(part.value) : "not known";

const cards = ({ status, doubts, pauses }: Known, nowMs: number): Html => {
  const paused = textOf(pauses, (entries) => {
    const names = PAUSABLE.filter((flow) => isPause(entries.get(flow), nowMs));
    return names.length === 0 ? "nothing" : names.join(", ");
  });
  const underWay = textOf(doubts, ({ underWay: n, isComplete }) =>
    isComplete ? `${count(n, "call")} may be under way` : "the journal is still being read",
  );
  const inDoubt = textOf(doubts, ({ doubts: n, isComplete }) =>
    isComplete || n > 0 ? formatCount(n) : "being asked",
  );
  const lastMs = valueOf(status)?.reconcile.lastCompleteAtMs ?? null;
  return html`<ul class="cards">
    ${card("In doubt", inDoubt, underWay)}
    ${card(
      "Commands that wait",
      textOf(status, ({ commands }) => formatCount(commands.lag)),
      "for a replica",
    )}
    ${card(
      "Replicas",
      textOf(status, ({ commands }) => formatCount(commands.members.length)),
      "take commands",
    )}
    ${card("Paused", paused, "on all replicas")}
    ${card(
      "Last complete reconcile",
      textOf(status, () => (lastMs === null ? "none known" : ago(lastMs, nowMs))),
      lastMs === null ? "the partner's log" : at(lastMs),
    )}
  </ul>`;
};

const journalReading = ({ doubts }: Known): Cell => {
  const known = valueOf(doubts);
  if (known === null || known.isComplete || known.problem !== null) return "";
  return reading("The journal is still being read, so there may be more in doubt", known.progress);
};

const lettersTable = ({ letters }: Known): Cell =>
  textOf(letters, ({ byReason }) => {
    const rows = [...byReason]
      .sort(([, a], [, b]) => b - a)
      .map(([reason, n]) => [link(pathTo("/dead-letters", { reason }), code(reason, 80)), formatCount(n)]);
    return table("Dead letters of the last seven days, by reason", ["reason", "letters"], rows, "None.")
      .markup;
  });

const replicas = ({ commands }: Status, topic: string): Html => {
  const rows = commands.members
    .slice(0, MAX_REPLICAS)
    .map(({ clientId, host, partitions }) => [
      inlineText(host, 80),
      code(clientId, 80),
      partitions[topic]?.join(", ") ?? "none",
    ]);
  const columns = ["host", "client", "partitions of commands"];
  const lagging = commands.partitions.filter(({ lag }) => lag > 0);
  const lags = lagging.map(({ partition, lag }) => `${formatCount(lag)} in partition ${partition}`);
  return html`<h2>Replicas</h2> ${table("Replicas", columns, rows, "No replica is in the group.").markup}
    ${lags.length === 0 ? "" : html`<p>Commands that wait: ${lags.join(", ")}.</p>`}`;
};

export const overviewPage = async (context: ConsoleContext): Promise<Response> => {
  const { site } = context.var;
  const { known, letters, rates, isReading } = await readAll(site);
  const nowMs = site.clock.now();
  const troubles = troublesOf(known, nowMs);
  const isCounting = letters.kind === "reading" && letters.before === null;
  return page(context, {
    title: troubles.length > 0 ? `${troubles.length} to look at` : "Overview",
    refreshS: isReading || !isAllKnown(known) ? REFRESH_SOON_S : REFRESH_S,
    body: html`${verdict(known, troubles)} ${journalReading(known)} ${cards(known, nowMs)} ${storySearch("", "")}
      <h2>Records a minute <small>over the last hour</small></h2>
      ${rates !== null && "value" in rates ? plot(rates.value) : html`<p class="none">${textOf(rates, () => "")}</p>`}
      <h2>Dead letters <small>of the last seven days</small></h2>
      ${isCounting ? reading("Dead letters are still being counted", letters.progress) : lettersTable(known)}
      ${textOf(known.status, (status) => replicas(status, known.topic))}
      <p class="dim">As it was known ${at(nowMs)}.</p>`,
  });
};
